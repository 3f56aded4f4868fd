// The decoders of the ranking scripts take any reply, and rows that were packed for Redis are unpacked the
// same.
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
  DecodeDetails(reply);
  Must(DecodeTexts(reply).size() == reply.elements.size());
}

// What unpacks is written as it was read.
void CheckTexts(std::string_view text) {
  using namespace maejin::redis;
  if (const auto row = UnpackConcert(text)) {
    const auto packed = PackDetail(*row);
    Must(UnpackConcert(packed).has_value() && PackDetail(*UnpackConcert(packed)) == packed);
  }
  if (const auto row = UnpackSchedule(text)) {
    const auto packed = PackDetail(*row);
    Must(UnpackSchedule(packed).has_value() && PackDetail(*UnpackSchedule(packed)) == packed);
  }
  ParseProgressOrder(text);
  if (const auto window = ParseWindowName(text)) Must(ParseWindowName(WindowName(*window)).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  maejin::fuzz::Input input(data, size);
  DecodeAll(maejin::fuzz::MakeReply(input));
  const auto rest = input.Rest();
  CheckTexts(rest);
  maejin::fuzz::Input fields(data, size);
  maejin::ConcertSoldOut concert;
  concert.concert = fields.Number();
  concert.title = fields.Text();
  concert.artist = fields.Text();
  concert.venue = fields.Text();
  const auto again = maejin::redis::UnpackConcert(maejin::redis::PackDetail(concert));
  Must(again && again->concert == concert.concert && again->title == concert.title &&
       again->artist == concert.artist && again->venue == concert.venue);
  return 0;
}
