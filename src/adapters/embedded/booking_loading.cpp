#include <fmt/format.h>

#include "adapters/embedded/booking_loading.h"

#include "base/named.h"

namespace maejin::embedded {
namespace {

[[noreturn]] void Damaged(const std::string& what) {
  throw SqliteError(0, "the booking data contradicts itself: " + what);
}

std::optional<Time> OptionalTime(const Statement& row, int column) {
  const auto millis = row.OptionalInt(column);
  if (!millis) return {};
  return TimeFromMillis(*millis);
}

std::int32_t SmallInt(const Statement& row, int column) { return static_cast<std::int32_t>(row.Int(column)); }

ConcertDetails ReadDetails(const Statement& row) {
  ConcertDetails details;
  details.title = row.Text(1);
  details.artist = row.Text(2);
  details.venue = row.Text(3);
  details.price = row.Int(4);
  details.booking_open_at = OptionalTime(row, 5);
  details.hold = Seconds{row.Int(6)};
  details.room = RoomKindOf(row.Text(7)).value_or(RoomKind::kOwn);
  details.max_seats_per_user = SmallInt(row, 8);
  details.max_seats_per_date = SmallInt(row, 9);
  details.cooldown = Seconds{row.Int(10)};
  details.listed = row.Int(13) != 0;
  details.ranked = row.Int(14) != 0;
  details.color = ParseColor(row.Text(16));
  if (const auto organizer = row.Text(17); !organizer.empty()) details.organizer = organizer;
  details.pre_queue.order = {ParseName<PreQueueOrder>(row.Text(18)).value_or(PreQueueOrder::kDraw),
                             row.Int(19)};
  details.pre_queue.at = {OptionalTime(row, 20), row.Int(21)};
  return details;
}

std::vector<Section> ReadSections(Statement& sections, ScheduleId schedule) {
  std::vector<Section> all;
  sections.Bind(1, schedule);
  while (sections.Step()) {
    all.push_back({std::string(sections.Text(0)), SmallInt(sections, 2), SmallInt(sections, 3),
                   sections.Int(1), ReadNumbers(sections.Text(4)), ReadNumbers(sections.Text(5))});
  }
  sections.Reset();
  return all;
}

void ReadSpecialSeats(Statement& special, ScheduleId schedule, SchedulePlan& plan) {
  special.Bind(1, schedule);
  while (special.Step()) {
    if (special.Int(1) != 0) plan.blocked.push_back(SmallInt(special, 0));
    if (special.Int(2) != 0) plan.wheelchair.push_back(SmallInt(special, 0));
  }
  special.Reset();
}

Reservation ReadReservation(const Statement& row) {
  Reservation reservation;
  reservation.number = row.Int(0);
  const auto id = Id128::Parse(row.Text(1));
  const auto status = ReservationStatusOf(row.Text(7));
  if (!id || !status) Damaged(fmt::format("reservation {}", reservation.number));
  reservation.id = *id;
  reservation.concert = row.Int(2);
  reservation.schedule = row.Int(3);
  reservation.user = row.Text(4);
  reservation.seats = ReadNumbers(row.Text(5));
  reservation.amount = row.Int(6);
  reservation.status = *status;
  reservation.held_at = TimeFromMillis(row.Int(8));
  reservation.expires_at = TimeFromMillis(row.Int(9));
  reservation.paid_at = OptionalTime(row, 10);
  reservation.ended_at = OptionalTime(row, 11);
  reservation.hold_ver = SmallInt(row, 12);
  reservation.extended = row.Int(13) != 0;
  reservation.schedule_sold_out = row.Int(14) != 0;
  reservation.concert_sold_out = row.Int(15) != 0;
  reservation.idempotency_key = row.Text(16);
  if (!row.IsNull(17)) reservation.end_reason = EndReasonOf(row.Text(17));
  return reservation;
}

Payment ReadPayment(const Statement& row) {
  Payment payment;
  payment.number = row.Int(0);
  const auto id = Id128::Parse(row.Text(1));
  const auto status = PaymentStatusOf(row.Text(4));
  if (!id || !status) Damaged(fmt::format("payment {}", payment.number));
  payment.id = *id;
  payment.reservation_number = row.Int(2);
  payment.amount = row.Int(3);
  payment.status = *status;
  payment.provider = row.Text(5);
  payment.method = row.Text(6);
  payment.created_at = TimeFromMillis(row.Int(7));
  payment.settled_at = OptionalTime(row, 8);
  payment.hold_ver = SmallInt(row, 9);
  return payment;
}

class BookingLoader {
 public:
  BookingLoader(SaleRegistry& sales, SaleJournal& journal) : sales_(sales), journal_(journal) {}

  void Load(Connection& connection, Time now) {
    LoadConcerts(connection);
    LoadOpenings(connection);
    LoadSchedules(connection, now);
    LoadSoldOuts(connection);
    LoadReservations(connection);
    LoadPayments(connection);
    LoadCounters(connection);
    for (auto* sale : sales_.AllSales()) {
      const std::lock_guard lock(sale->mutex);
      sale->concert.ResumeCancelling();
      SaleJournal::Publish(*sale, now);
    }
  }

 private:
  void LoadConcerts(Connection& connection);
  void LoadOpenings(Connection& connection);
  void LoadSchedules(Connection& connection, Time now);
  void LoadSoldOuts(Connection& connection);
  void LoadReservations(Connection& connection);
  void LoadPayments(Connection& connection);
  void LoadCounters(Connection& connection);

  SaleRegistry& sales_;
  SaleJournal& journal_;
  // Loaded reservations by number. A payment's row has the number of its reservation.
  std::unordered_map<std::int64_t, SaleRegistry::ReservationLocation> loaded_;
};

void BookingLoader::LoadConcerts(Connection& connection) {
  auto row = connection.Prepare(
      "SELECT id, title, artist, venue, price, booking_open_at, hold_seconds, room, max_seats_per_user, "
      "max_seats_per_date, cooldown_seconds, status, created_at, listed, ranked, life, color, "
      "organizer, pre_queue_order, pre_queue_order_life, pre_queue_at, pre_queue_at_life "
      "FROM concerts ORDER BY id");
  while (row.Step()) {
    auto sale = std::make_unique<Sale>(Concert(row.Int(0), ReadDetails(row), TimeFromMillis(row.Int(12))));
    sale->concert.RestoreState(row.Text(11) == "CANCELLED", row.Text(11) == "CLOSED", row.Int(15));
    sales_.Enter(std::move(sale));
  }
}

void BookingLoader::LoadOpenings(Connection& connection) {
  auto row = connection.Prepare("SELECT concert_id FROM concert_openings");
  while (row.Step()) {
    if (auto* sale = sales_.FindSale(row.Int(0))) sale->opening_recorded = true;
  }
}

void BookingLoader::LoadSchedules(Connection& connection, Time now) {
  auto row = connection.Prepare(
      "SELECT id, concert_id, concert_date, starts_at, booking_open_at, created_at, status, sales_end_at, "
      "day_ends_at, previous_date, postponed_at FROM schedules ORDER BY id");
  auto sections = connection.Prepare(
      "SELECT name, price, rows, seats_per_row, row_lengths, shape FROM sections WHERE schedule_id = ? ORDER "
      "BY "
      "ordinal");
  auto special =
      connection.Prepare("SELECT number, blocked, wheelchair FROM special_seats WHERE schedule_id = ?");
  while (row.Step()) {
    auto* sale = sales_.FindSale(row.Int(1));
    const auto date = ParseDate(row.Text(2));
    if (!sale || !date) Damaged(fmt::format("schedule {}", row.Int(0)));
    SchedulePlan plan;
    plan.date = *date;
    plan.starts_at = OptionalTime(row, 3);
    plan.booking_open_at = OptionalTime(row, 4);
    plan.sales_end_at = OptionalTime(row, 7);
    plan.day_ends_at = OptionalTime(row, 8);
    plan.sections = ReadSections(sections, row.Int(0));
    ReadSpecialSeats(special, row.Int(0), plan);
    sale->concert.AddSchedule(row.Int(0), plan, TimeFromMillis(row.Int(5)), now);
    const auto previous = row.IsNull(9) ? std::nullopt : ParseDate(row.Text(9));
    if (previous) sale->concert.RestorePostponed(row.Int(0), *previous, TimeFromMillis(row.Int(10)));
    if (row.Text(6) == "CANCELLED") sale->concert.RestoreCancelled(row.Int(0));
    sales_.RegisterSchedules(*sale);
  }
}

void BookingLoader::LoadSoldOuts(Connection& connection) {
  auto concerts = connection.Prepare("SELECT concert_id, sold_out_at FROM sold_out_concerts");
  while (concerts.Step()) {
    if (auto* sale = sales_.FindSale(concerts.Int(0)))
      sale->concert.RestoreSoldOut(TimeFromMillis(concerts.Int(1)));
  }
  auto schedules = connection.Prepare("SELECT schedule_id, sold_out_at FROM sold_out_schedules");
  while (schedules.Step()) {
    auto* entry = sales_.FindEntry(schedules.Int(0));
    if (entry) entry->sale->concert.RestoreSoldOut(schedules.Int(0), TimeFromMillis(schedules.Int(1)));
  }
}

void BookingLoader::LoadReservations(Connection& connection) {
  auto row = connection.Prepare(
      "SELECT number, id, concert_id, schedule_id, user_id, seats, amount, status, held_at, expires_at, "
      "paid_at, "
      "ended_at, hold_ver, extended, schedule_sold_out, concert_sold_out, idempotency_key, "
      "end_reason FROM reservations "
      "ORDER BY number");
  while (row.Step()) {
    auto reservation = ReadReservation(row);
    auto* sale = sales_.FindSale(reservation.concert);
    if (!sale) Damaged(fmt::format("reservation {} of no concert", reservation.number));
    const auto index = static_cast<Concert::ReservationIndex>(sale->concert.reservations().size());
    const auto number = reservation.number;
    if (!sale->concert.Restore(std::move(reservation)))
      Damaged(fmt::format("a seat of reservation {}", number));
    sales_.RegisterReservation(sale->concert.reservation(index), {sale, index});
    loaded_.emplace(number, SaleRegistry::ReservationLocation{sale, index});
    sales_.next_reservation = number + 1;
  }
}

void BookingLoader::LoadPayments(Connection& connection) {
  auto row = connection.Prepare(
      "SELECT number, id, reservation_number, amount, status, provider, method, created_at, settled_at, "
      "hold_ver "
      "FROM payments ORDER BY number");
  while (row.Step()) {
    auto payment = ReadPayment(row);
    const auto location = loaded_.find(payment.reservation_number);
    if (location == loaded_.end()) Damaged(fmt::format("payment {} of no reservation", payment.number));
    auto& concert = location->second.sale->concert;
    payment.reservation = concert.reservation(location->second.index).id;
    sales_.next_payment = payment.number + 1;
    const auto id = payment.id;
    const auto index = static_cast<Concert::PaymentIndex>(concert.payments().size());
    concert.Restore(std::move(payment), location->second.index);
    sales_.payments.Add(id, {location->second.sale, index});
  }
}

void BookingLoader::LoadCounters(Connection& connection) {
  const auto number = [&](const char* sql) {
    auto row = connection.Prepare(sql);
    row.Step();
    return row.Int(0);
  };
  // Ids of imported sell-outs are not used for new concerts. Imported ids above kLastGivenId
  // (domain/ranking/import_ids.h) do not raise the counter.
  sales_.next_concert =
      1 + std::max(number("SELECT coalesce(max(id), 0) FROM concerts"),
                   number("SELECT coalesce(max(concert_id), 0) FROM sold_out_concerts WHERE "
                          "concert_id <= 1099511627776"));
  sales_.next_schedule =
      1 + std::max(number("SELECT coalesce(max(id), 0) FROM schedules"),
                   number("SELECT coalesce(max(schedule_id), 0) FROM sold_out_schedules WHERE "
                          "schedule_id <= 1099511627776"));
  // A restored server skips the numbers that the lost server may have given out (restore.h).
  const auto counter = [&](const char* name) {
    auto row = connection.Prepare("SELECT coalesce(max(value), 0) FROM booking_counters WHERE name = ?");
    row.Bind(1, std::string_view(name));
    row.Step();
    return row.Int(0);
  };
  sales_.next_concert = std::max(sales_.next_concert, counter("next_concert"));
  sales_.next_schedule = std::max(sales_.next_schedule, counter("next_schedule"));
  sales_.next_reservation = std::max(sales_.next_reservation.load(), counter("next_reservation"));
  sales_.next_payment = std::max(sales_.next_payment.load(), counter("next_payment"));
  journal_.StartEventsAt(static_cast<std::uint64_t>(std::max<std::int64_t>(
      1, number("SELECT coalesce(max(value), 1) FROM booking_counters WHERE name = 'next_event'"))));
}

}  // namespace

void LoadBookings(Connection& connection, Time now, SaleRegistry& sales, SaleJournal& journal) {
  BookingLoader(sales, journal).Load(connection, now);
}

}  // namespace maejin::embedded
