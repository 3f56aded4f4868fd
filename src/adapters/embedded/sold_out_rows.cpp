#include "adapters/embedded/sold_out_rows.h"

namespace maejin::embedded {
namespace {

constexpr Sql kAddConcert{
    "INSERT INTO sold_out_concerts (concert_id, title, artist, venue, dates, seats, booking_open_at, "
    "sold_out_at) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (concert_id) DO NOTHING"};
constexpr Sql kAddSchedule{
    "INSERT INTO sold_out_schedules (schedule_id, concert_id, concert_date, seats, started_at, sold_out_at) "
    "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (schedule_id) DO NOTHING"};
constexpr Sql kRemove{
    "INSERT INTO sold_out_removals (concert_id, removed_at) VALUES (?, ?) ON CONFLICT (concert_id) DO "
    "NOTHING"};
constexpr Sql kPutBack{"DELETE FROM sold_out_removals WHERE concert_id = ?"};
constexpr Sql kDropConcert{"DELETE FROM sold_out_concerts WHERE concert_id = ?"};
constexpr Sql kDropSchedules{"DELETE FROM sold_out_schedules WHERE concert_id = ?"};
constexpr Sql kPruned{
    "INSERT INTO ranking_settings (name, value) VALUES ('pruned_before', ?) ON CONFLICT (name) DO UPDATE SET "
    "value = max(value, excluded.value)"};

}  // namespace

void AddSoldOutRow(WriteSet& rows, const ConcertSoldOut& sold_out) {
  rows.Add(kAddConcert)
      .Int(sold_out.concert)
      .Text(sold_out.title)
      .Text(sold_out.artist)
      .Text(sold_out.venue)
      .Int(sold_out.dates)
      .Int(sold_out.seats)
      .Int(ToMillis(sold_out.booking_open_at))
      .Int(ToMillis(sold_out.sold_out_at));
}

void AddSoldOutRow(WriteSet& rows, const ScheduleSoldOut& sold_out) {
  rows.Add(kAddSchedule)
      .Int(sold_out.schedule)
      .Int(sold_out.concert)
      .Text(FormatDate(sold_out.concert_date))
      .Int(sold_out.seats)
      .Int(ToMillis(sold_out.started_at))
      .Int(ToMillis(sold_out.sold_out_at));
}

void AddRemovalRow(WriteSet& rows, ConcertId concert, Time now) { rows.Add(kRemove).Int(concert).At(now); }

void ReplaceSoldOutRows(WriteSet& rows, const SoldOutHistory& history) {
  const auto concert = history.concert.concert;
  rows.Add(kPutBack).Int(concert);
  rows.Add(kDropConcert).Int(concert);
  rows.Add(kDropSchedules).Int(concert);
  AddSoldOutRow(rows, history.concert);
  for (const auto& schedule : history.schedules) AddSoldOutRow(rows, schedule);
}

void AddPrunedBefore(WriteSet& rows, Date before) {
  rows.Add(kPruned).Int(std::chrono::sys_days{before}.time_since_epoch().count());
}

}  // namespace maejin::embedded
