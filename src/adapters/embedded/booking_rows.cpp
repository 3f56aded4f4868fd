#include "adapters/embedded/booking_rows.h"

#include <charconv>

#include "adapters/embedded/sold_out_rows.h"

namespace maejin::embedded {
namespace {

constexpr Sql kAddConcert{
    "INSERT INTO concerts (id, title, artist, venue, price, booking_open_at, hold_seconds, room, "
    "max_seats_per_user, "
    "max_seats_per_date, cooldown_seconds, created_at, listed, ranked, life, color, organizer, "
    "pre_queue_order, pre_queue_order_life, pre_queue_at, pre_queue_at_life) VALUES "
    "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"};
constexpr Sql kUpdateConcert{
    "UPDATE concerts SET title = ?, artist = ?, venue = ?, booking_open_at = ?, hold_seconds = ?, "
    "max_seats_per_user = ?, max_seats_per_date = ?, cooldown_seconds = ?, listed = ?, ranked = ?, life = ?, "
    "color = ?, organizer = ?, pre_queue_order = ?, pre_queue_order_life = ?, pre_queue_at = ?, "
    "pre_queue_at_life = ?, status = ? WHERE id = ?"};
constexpr Sql kAddSchedule{
    "INSERT INTO schedules (id, concert_id, concert_date, starts_at, booking_open_at, created_at, "
    "sales_end_at, day_ends_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"};
constexpr Sql kUpdateSchedule{
    "UPDATE schedules SET concert_date = ?, starts_at = ?, sales_end_at = ?, day_ends_at = ?, previous_date "
    "= "
    "?, postponed_at = ?, status = ? WHERE id = ?"};
constexpr Sql kAddSection{
    "INSERT INTO sections (schedule_id, ordinal, name, price, rows, seats_per_row, row_lengths, shape) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"};
constexpr Sql kAddSpecialSeat{
    "INSERT INTO special_seats (schedule_id, number, blocked, wheelchair) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (schedule_id, number) DO UPDATE SET blocked = excluded.blocked, wheelchair = "
    "excluded.wheelchair"};
constexpr Sql kAddReservation{
    "INSERT INTO reservations (number, id, concert_id, schedule_id, user_id, seats, amount, status, held_at, "
    "expires_at, idempotency_key) VALUES (?, ?, ?, ?, ?, ?, ?, 'HELD', ?, ?, ?)"};
constexpr Sql kUpdateReservation{
    "UPDATE reservations SET status = ?, expires_at = ?, paid_at = ?, ended_at = ?, end_reason = ?, hold_ver "
    "= ?, extended = ?, schedule_sold_out = ?, concert_sold_out = ? WHERE number = ?"};
constexpr Sql kEraseReservation{
    "UPDATE reservations SET user_id = ?, idempotency_key = NULL WHERE number = ?"};
constexpr Sql kEraseAdmissions{
    "UPDATE OR REPLACE admissions SET user = '', ended_at = coalesce(ended_at, ?) WHERE user = ?"};
constexpr Sql kAddPayment{
    "INSERT INTO payments (number, id, reservation_number, amount, status, provider, method, created_at, "
    "settled_at, "
    "hold_ver) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"};
constexpr Sql kUpdatePayment{"UPDATE payments SET status = ?, settled_at = ? WHERE number = ?"};
constexpr Sql kRenameSoldOut{
    "UPDATE sold_out_concerts SET title = ?, artist = ?, venue = ? WHERE concert_id = ?"};
constexpr Sql kAddOpening{"INSERT OR IGNORE INTO concert_openings (concert_id) VALUES (?)"};
constexpr Sql kSetCounter{
    "INSERT INTO booking_counters (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = "
    "excluded.value"};

WriteSet& AddNamedPreQueue(WriteSet& rows, const NamedPreQueue& named) {
  return rows.Text(Name(named.order.value))
      .Int(named.order.life)
      .OptionalAt(named.at.value)
      .Int(named.at.life);
}

}  // namespace

void AddConcertRow(WriteSet& rows, const Concert& concert) {
  const auto& details = concert.details();
  rows.Add(kAddConcert)
      .Int(concert.id())
      .Text(details.title)
      .Text(details.artist)
      .Text(details.venue)
      .Int(details.price)
      .OptionalAt(details.booking_open_at)
      .Int(details.hold.count())
      .Text(Name(details.room))
      .Int(details.max_seats_per_user)
      .Int(details.max_seats_per_date)
      .Int(details.cooldown.count())
      .At(concert.created_at())
      .Int(details.listed)
      .Int(details.ranked)
      .Int(concert.life())
      .OptionalText(TextOf(details.color))
      .OptionalText(details.organizer);
  AddNamedPreQueue(rows, details.pre_queue);
}

void UpdateConcertRow(WriteSet& rows, const Concert& concert) {
  const auto& details = concert.details();
  rows.Add(kUpdateConcert)
      .Text(details.title)
      .Text(details.artist)
      .Text(details.venue)
      .OptionalAt(details.booking_open_at)
      .Int(details.hold.count())
      .Int(details.max_seats_per_user)
      .Int(details.max_seats_per_date)
      .Int(details.cooldown.count())
      .Int(details.listed)
      .Int(details.ranked)
      .Int(concert.life())
      .OptionalText(TextOf(details.color))
      .OptionalText(details.organizer);
  AddNamedPreQueue(rows, details.pre_queue)
      .Text(concert.cancelled() ? "CANCELLED"
            : concert.closed()  ? "CLOSED"
                                : "ACTIVE")
      .Int(concert.id());
}

void AddScheduleRows(WriteSet& rows, ConcertId concert, const Schedule& schedule, const SchedulePlan& plan) {
  rows.Add(kAddSchedule)
      .Int(schedule.id)
      .Int(concert)
      .Text(FormatDate(schedule.date))
      .OptionalAt(schedule.starts_at)
      .OptionalAt(schedule.booking_open_at)
      .At(schedule.created_at)
      .OptionalAt(schedule.sales_end_at)
      .OptionalAt(schedule.day_ends_at);
  std::int64_t ordinal = 1;
  for (const auto& section : plan.sections) {
    rows.Add(kAddSection).Int(schedule.id).Int(ordinal++).Text(section.name).Int(section.price);
    rows.Int(section.Rows()).Int(section.seats_per_row);
    for (const auto* numbers : {&section.row_lengths, &section.shape}) {
      if (numbers->empty()) {
        rows.Null();
        continue;
      }
      std::string text;
      AppendNumbers(text, *numbers);
      rows.Text(text);
    }
  }
  for (const auto seat : plan.blocked) AddSpecialSeatRow(rows, schedule.id, seat, true, false);
  for (const auto seat : schedule.seats.layout()->wheelchair()) {
    AddSpecialSeatRow(rows, schedule.id, seat, schedule.seats.StateOf(seat) == SeatState::kBlocked, true);
  }
}

void UpdateScheduleRow(WriteSet& rows, const Schedule& schedule) {
  rows.Add(kUpdateSchedule)
      .Text(FormatDate(schedule.date))
      .OptionalAt(schedule.starts_at)
      .OptionalAt(schedule.sales_end_at)
      .OptionalAt(schedule.day_ends_at);
  if (schedule.previous_date) {
    rows.Text(FormatDate(*schedule.previous_date)).At(schedule.postponed_at);
  } else {
    rows.Null().Null();
  }
  rows.Text(schedule.cancelled ? "CANCELLED" : "ACTIVE").Int(schedule.id);
}

void AddSpecialSeatRow(WriteSet& rows, ScheduleId schedule, SeatNumber seat, bool blocked, bool wheelchair) {
  rows.Add(kAddSpecialSeat).Int(schedule).Int(seat).Int(blocked).Int(wheelchair);
}

void AddRow(WriteSet& rows, const Reservation& reservation) {
  thread_local std::string seats;
  seats.clear();
  AppendNumbers(seats, reservation.seats);
  rows.Add(kAddReservation)
      .Int(reservation.number)
      .Text(reservation.id.ToString())
      .Int(reservation.concert)
      .Int(reservation.schedule)
      .Text(reservation.user)
      .Text(seats)
      .Int(reservation.amount)
      .At(reservation.held_at)
      .At(reservation.expires_at);
  if (reservation.idempotency_key.empty()) {
    rows.Null();
  } else {
    rows.Text(reservation.idempotency_key);
  }
}

void UpdateRow(WriteSet& rows, const Reservation& reservation) {
  rows.Add(kUpdateReservation)
      .Text(Name(reservation.status))
      .At(reservation.expires_at)
      .OptionalAt(reservation.paid_at)
      .OptionalAt(reservation.ended_at);
  if (reservation.end_reason == EndReason::kNone) {
    rows.Null();
  } else {
    rows.Text(Name(reservation.end_reason));
  }
  rows.Int(reservation.hold_ver)
      .Int(reservation.extended)
      .Int(reservation.schedule_sold_out)
      .Int(reservation.concert_sold_out)
      .Int(reservation.number);
}

void AddRow(WriteSet& rows, const Payment& payment) {
  rows.Add(kAddPayment)
      .Int(payment.number)
      .Text(payment.id.ToString())
      .Int(payment.reservation_number)
      .Int(payment.amount)
      .Text(Name(payment.status))
      .Text(payment.provider)
      .Text(payment.method)
      .At(payment.created_at)
      .OptionalAt(payment.settled_at)
      .Int(payment.hold_ver);
}

void UpdateRow(WriteSet& rows, const Payment& payment) {
  rows.Add(kUpdatePayment).Text(Name(payment.status)).OptionalAt(payment.settled_at).Int(payment.number);
}

void AddFactRows(WriteSet& rows, const BookingEvent& event) {
  if (const auto* schedule = std::get_if<ScheduleSoldOut>(&event.fact)) AddSoldOutRow(rows, *schedule);
  if (const auto* concert = std::get_if<ConcertSoldOut>(&event.fact)) AddSoldOutRow(rows, *concert);
}

void AddUnrankedRow(WriteSet& rows, const decltype(BookingEvent::fact)& fact) {
  if (const auto* schedule = std::get_if<ScheduleSoldOut>(&fact)) {
    AddSoldOutRow(rows, *schedule);
  } else if (const auto* concert = std::get_if<ConcertSoldOut>(&fact)) {
    AddSoldOutRow(rows, *concert);
  }
}

void UpdateSoldOutNames(WriteSet& rows, const Concert& concert) {
  const auto& details = concert.details();
  rows.Add(kRenameSoldOut).Text(details.title).Text(details.artist).Text(details.venue).Int(concert.id());
}

void EraseRow(WriteSet& rows, const Reservation& reservation) {
  rows.Add(kEraseReservation).Text(reservation.user).Int(reservation.number);
}

void EraseAdmissionRows(WriteSet& rows, std::string_view user, Time now) {
  rows.Add(kEraseAdmissions).Int(ToMillis(now)).Text(user);
}

void AddOpeningRow(WriteSet& rows, ConcertId concert) { rows.Add(kAddOpening).Int(concert); }

void SetCounterRow(WriteSet& rows, std::string_view name, std::uint64_t value) {
  rows.Add(kSetCounter).Text(name).Int(static_cast<std::int64_t>(value));
}

void AppendNumbers(std::string& out, const std::vector<std::int32_t>& numbers) {
  char digits[16];
  out += '[';
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) out += ',';
    out.append(digits, std::to_chars(digits, digits + sizeof digits, numbers[i]).ptr);
  }
  out += ']';
}

std::vector<std::int32_t> ReadNumbers(std::string_view text) {
  std::vector<std::int32_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    std::int32_t number = 0;
    const auto read = std::from_chars(at, end, number);
    if (read.ec == std::errc{}) numbers.push_back(number);
    at = read.ptr == at ? at + 1 : read.ptr;
  }
  return numbers;
}

}  // namespace maejin::embedded
