// Any bytes as a body are parsed or refused without a crash.
#include <cstdint>
#include <cstdlib>

#include "http/json_body.h"

namespace {

class JsonHeaders final : public maejin::http::Headers {
 public:
  std::string_view Find(std::string_view) const override { return "application/json"; }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const JsonHeaders headers;
  maejin::http::Request request;
  request.headers = &headers;
  request.body = {reinterpret_cast<const char*>(data), size};
  maejin::http::JsonBody body(request);
  auto& root = body.root();
  root.OptionalText("a", {1, 10});
  root.OptionalInt("b", {1, 10});
  root.OptionalBool("c");
  root.OptionalInstant("d");
  root.OptionalDay("e");
  root.OptionalChoice("f", {"x", "y"});
  root.Ints("g", {0, 4}, {1, 9});
  for (auto& object : root.Objects("h", {0, 4})) {
    object.Int("n");
    object.Finish();
  }
  const auto refused = body.Finish();
  if (refused && refused->why == maejin::Refusal::kInvalidField &&
      refused->about.find(':') == std::string::npos) {
    std::abort();
  }
  return 0;
}
