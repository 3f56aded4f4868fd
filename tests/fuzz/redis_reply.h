// Replies of Redis made from an input, for the targets that decode them.
#pragma once

#include "adapters/redis/client/reply.h"
#include "tests/fuzz/fuzz_input.h"

namespace maejin::fuzz {

inline redis::Reply MakeReply(Input& input, int depth = 0) {
  using Kind = redis::Reply::Kind;
  redis::Reply reply;
  reply.kind = static_cast<Kind>(input.Byte() % 6);
  switch (reply.kind) {
    case Kind::kNil:
      break;
    case Kind::kInteger:
      reply.integer = input.Number();
      break;
    case Kind::kText:
    case Kind::kStatus:
    case Kind::kError:
      reply.text = input.Byte() % 2 == 0 ? std::to_string(input.Number()) : input.Text();
      break;
    case Kind::kArray:
      if (depth == 4) break;
      for (int left = input.Byte() % 32; left > 0 && !input.empty(); --left) {
        reply.elements.push_back(MakeReply(input, depth + 1));
      }
      break;
  }
  return reply;
}

}  // namespace maejin::fuzz
