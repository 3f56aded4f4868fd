// A target's path and query: decoding is the inverse of encoding, the last value of a parameter counts, and
// the router's parameters are the decoded segments.
#include "base/url.h"
#include "http/ranking/query.h"
#include "server/request.h"
#include "server/router.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using maejin::PercentDecode;
using maejin::fuzz::Must;
using maejin::http::Request;
using maejin::http::Router;

std::string EncodeAll(std::string_view text) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kDigits[byte / 16];
    out += kDigits[byte % 16];
  }
  return out;
}

const Router& Routes() {
  static const auto router = [] {
    auto routes = std::make_unique<Router>();
    for (const char* pattern : {"/", "/a", "/a/{x}", "/a/{x}/b", "/a/{x}/{y}", "/a/{x}/{y}/{z}", "/b/b/b"}) {
      routes->Add({.pattern = pattern});
    }
    return routes;
  }();
  return *router;
}

void CheckDecoding(std::string_view text) {
  for (const bool plus_is_space : {false, true}) {
    std::string decoded;
    if (!PercentDecode(text, plus_is_space, decoded)) continue;
    Must(decoded.size() <= text.size());
    if (decoded.find('\0') != std::string::npos) continue;  // %00 is refused
    std::string again;
    Must(PercentDecode(EncodeAll(decoded), plus_is_space, again) && again == decoded);
  }
}

void CheckQuery(const Request& request) {
  for (const char* name : {"a", "window", "at", "topN", ""}) {
    const auto value = request.Query(name);
    if (value) Must(request.query.find('=') != std::string_view::npos || value->empty());
    Request more;
    const auto longer = std::string(request.query) + "&" + name + "=last";
    more.query = longer;
    Must(more.Query(name) == "last");
  }
  maejin::http::RankingParameters parameters(request);
  const auto top = parameters.TopN();
  Must(top >= 1 && top <= 1000 && parameters.From() >= 1);
  parameters.Window(maejin::WindowKind::kDaily);
  if (const auto day = parameters.Day("at")) Must(day->ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto question = text.find('?');
  Request request;
  request.path = std::string_view(text).substr(0, question);
  if (question != std::string::npos) request.query = std::string_view(text).substr(question + 1);
  CheckDecoding(text);
  CheckQuery(request);
  if (const auto route = Routes().Match(request)) {
    for (const auto param : request.params) Must(param.size() <= request.path.size());
  }
  return 0;
}
