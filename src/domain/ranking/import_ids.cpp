#include "domain/ranking/import_ids.h"

#include <string_view>

namespace maejin {
namespace {

// FNV-1a with a final mix. Must never change: the ids are stored.
class StableHash {
 public:
  StableHash& Add(std::string_view text) {
    for (const char c : text) Byte(static_cast<unsigned char>(c));
    return Byte(0xFF);  // never in UTF-8: "ab","c" differs from "a","bc"
  }
  StableHash& Add(std::int64_t number) {
    for (int shift = 0; shift < 64; shift += 8) Byte(static_cast<unsigned char>(number >> shift));
    return *this;
  }
  std::int64_t Id() const {
    auto mixed = state_;
    mixed = (mixed ^ (mixed >> 33)) * 0xFF51AFD7ED558CCDULL;
    mixed = (mixed ^ (mixed >> 33)) * 0xC4CEB9FE1A85EC53ULL;
    mixed ^= mixed >> 33;
    return kFirstImportedId + static_cast<std::int64_t>(mixed >> 12);
  }

 private:
  StableHash& Byte(unsigned char byte) {
    state_ = (state_ ^ byte) * 0x100000001B3ULL;
    return *this;
  }
  std::uint64_t state_ = 0xCBF29CE484222325ULL;
};

}  // namespace

ConcertId ImportedConcertId(const ConcertSoldOut& sold_out) {
  return StableHash{}
      .Add(sold_out.title)
      .Add(sold_out.artist)
      .Add(sold_out.venue)
      .Add(sold_out.dates)
      .Add(ToMillis(sold_out.booking_open_at))
      .Add(ToMillis(sold_out.sold_out_at))
      .Id();
}

ScheduleId ImportedScheduleId(ConcertId concert, std::size_t index, const ScheduleSoldOut& sold_out) {
  return StableHash{}
      .Add(concert)
      .Add(static_cast<std::int64_t>(index))
      .Add(FormatDate(sold_out.concert_date))
      .Id();
}

void AssignIds(SoldOutHistory& history) {
  auto& concert = history.concert;
  if (concert.concert == 0) concert.concert = ImportedConcertId(concert);
  for (std::size_t i = 0; i < history.schedules.size(); ++i) {
    auto& schedule = history.schedules[i];
    schedule.concert = concert.concert;
    if (schedule.schedule == 0) schedule.schedule = ImportedScheduleId(concert.concert, i, schedule);
  }
}

}  // namespace maejin
