// Bytes of a Redis connection: replies do not depend on how the bytes are split into reads. Redirections,
// slot maps and addresses are read from any reply.
#include "adapters/redis/client/redirect.h"
#include "adapters/redis/client/reply_reader.h"
#include "adapters/redis/client/sentinel_walk.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using maejin::fuzz::Must;
using maejin::redis::Reply;

struct Replies {
  std::vector<Reply> replies;
  bool failed = false;
};

Replies ReadInSteps(std::string_view bytes, std::size_t step) {
  Replies out;
  maejin::redis::ReplyReader reader;
  for (std::size_t at = 0; at < bytes.size() && !out.failed; at += step) {
    reader.Feed(bytes.substr(at, step));
    while (auto reply = reader.Next()) out.replies.push_back(std::move(*reply));
    out.failed = !reader.error().empty();
  }
  return out;
}

bool Same(const Reply& a, const Reply& b) {
  if (a.kind != b.kind || a.integer != b.integer || a.text != b.text) return false;
  if (a.elements.size() != b.elements.size()) return false;
  for (std::size_t i = 0; i < a.elements.size(); ++i) {
    if (!Same(a.elements[i], b.elements[i])) return false;
  }
  return true;
}

void CheckReply(const Reply& reply) {
  const maejin::redis::Endpoint asked{"10.0.0.1", 6379};
  maejin::redis::ReadRedirect(reply, asked);
  maejin::redis::SentinelWalk::DecodePrimary(reply);
  if (const auto map = maejin::redis::HashSlotMap::Decode(reply, asked)) Must(!map->nodes().empty());
  maejin::redis::InfoField(reply.text, "run_id");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto whole = ReadInSteps(bytes, bytes.size() + 1);
  const auto split = ReadInSteps(bytes, 5);
  Must(whole.failed == split.failed && whole.replies.size() == split.replies.size());
  for (std::size_t i = 0; i < whole.replies.size(); ++i) {
    Must(Same(whole.replies[i], split.replies[i]));
    CheckReply(whole.replies[i]);
  }
  return 0;
}
