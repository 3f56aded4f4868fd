// The decoders of the ranking scripts take any reply; a name of a board that was read is written the same.
#include "adapters/redis/ranking/keys.h"
#include "adapters/redis/ranking/replies.h"
#include "tests/fuzz/redis_reply.h"

namespace {

using maejin::fuzz::Must;

void DecodeAll(const maejin::redis::Reply& reply) {
  using namespace maejin::redis;
  Must(DecodeAdd(reply).size() == reply.elements.size());
  DecodeRead(reply);
  DecodeRanks(reply);
  DecodeState(reply);
  DecodeDrop(reply);
  DecodeProgress(reply);
  DecodeSuccess(reply);
  DecodeProgressRead(reply);
  DecodeScan(reply);
  DecodeScores(reply);
  DecodeFields(reply);
  Must(DecodeTexts(reply).size() == reply.elements.size());
}

void CheckTexts(std::string_view text) {
  using namespace maejin::redis;
  ParseProgressOrder(text);
  if (const auto window = ParseWindowName(text)) Must(ParseWindowName(WindowName(*window)).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  maejin::fuzz::Input input(data, size);
  DecodeAll(maejin::fuzz::MakeReply(input));
  CheckTexts(input.Rest());
  return 0;
}
