// The decoders of the waiting room's scripts take any reply, and what a room writes into Redis is read back.
#include "adapters/redis/waiting_room/replies.h"
#include "adapters/redis/waiting_room/room_record.h"
#include "tests/fuzz/redis_reply.h"

namespace {

using maejin::fuzz::Must;

void DecodeAll(const maejin::redis::Reply& reply) {
  using namespace maejin::redis;
  CodeOf(reply);
  DecodeHead(reply);
  for (const auto& fan : DecodeFans(reply)) fan.refusal();
  DecodeEnter(reply);
  DecodeEnd(reply);
  DecodeTick(reply);
  DecodeRestored(reply);
  DecodeLogEntries(reply);
  DecodeInside(reply);
  if (const auto loss = DecodeLoss("main", reply)) Must(loss->record.info.room == "main");
  DecodePeek(reply);
  if (const auto record = DecodeRecord("main", reply)) Must(record->info.room == "main");
}

void CheckMemory(std::string_view text) {
  const auto record = maejin::redis::ParseSavedText("main", text);
  if (!record) return;
  const auto written = maejin::redis::SavedText(*record);
  const auto again = maejin::redis::ParseSavedText("main", written);
  Must(again && maejin::redis::SavedText(*again) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  maejin::fuzz::Input input(data, size);
  DecodeAll(maejin::fuzz::MakeReply(input));
  const auto rest = input.Rest();
  CheckMemory(rest);
  if (const auto draw = maejin::redis::ParseDraw(rest)) {
    Must(maejin::redis::ParseDraw(maejin::redis::DrawText(*draw)).has_value());
  }
  return 0;
}
