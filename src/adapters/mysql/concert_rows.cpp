// Inserts concerts, dates and seats, and reads them for the mirror.
#include <algorithm>

#include <fmt/format.h>

#include "adapters/mysql/booking_rows.h"
#include "base/named.h"
#include "domain/ranking/import_ids.h"

namespace maejin::mysql {
namespace {

constexpr SeatNumber kSeatsPerInsert = 4096;

SeatState StateOf(std::int64_t ordinal) { return static_cast<SeatState>(ordinal - 1); }

std::vector<SeatNumber> ReadWheelchair(Connection& connection, ScheduleId schedule) {
  std::vector<SeatNumber> seats;
  auto rows = connection.Query(
      "SELECT number FROM seats WHERE schedule_id = ? AND wheelchair = 1 ORDER BY number", schedule);
  while (rows.Next()) seats.push_back(static_cast<SeatNumber>(rows.Int(0)));
  return seats;
}

std::vector<ShardRecord> ShardsOf(SeatNumber seats) {
  std::vector<ShardRecord> shards;
  for (SeatNumber first = 1; first <= seats; first += kSeatsPerShard) {
    shards.push_back({ShardOf(first), first, std::min(first + kSeatsPerShard - 1, seats)});
  }
  return shards;
}

std::vector<std::shared_ptr<ScheduleRecord>> ReadSchedules(Connection& connection, ConcertId concert) {
  std::vector<std::shared_ptr<ScheduleRecord>> schedules;
  auto rows = connection.Query(
      "SELECT id, concert_date, starts_at, booking_open_at, created_at, status, sold_out_at, for_sale, "
      "sales_end_at, day_ends_at, previous_date, postponed_at FROM schedules WHERE concert_id = ? ORDER BY "
      "id",
      concert);
  while (rows.Next()) {
    auto schedule = std::make_shared<ScheduleRecord>();
    schedule->id = rows.Int(0);
    schedule->concert = concert;
    schedule->date = rows.Day(1);
    schedule->starts_at = rows.OptionalAt(2);
    schedule->booking_open_at = rows.OptionalAt(3);
    schedule->created_at = rows.At(4);
    schedule->cancelled = rows.Text(5) == "CANCELLED";
    schedule->sold_out_at = rows.OptionalAt(6);
    schedule->for_sale = rows.Int(7);
    schedule->sales_end_at = rows.OptionalAt(8);
    schedule->day_ends_at = rows.OptionalAt(9);
    if (const auto postponed_at = rows.OptionalAt(11)) {
      schedule->previous_date = rows.Day(10);
      schedule->postponed_at = *postponed_at;
    }
    schedules.push_back(std::move(schedule));
  }
  return schedules;
}

void AddSections(Connection& connection, ScheduleId schedule, const std::vector<Section>& sections) {
  int ordinal = 1;
  for (const auto& section : sections) {
    std::optional<std::string> lengths;
    std::optional<std::string> shape;
    if (!section.row_lengths.empty()) lengths = NumbersText(section.row_lengths);
    if (!section.shape.empty()) shape = NumbersText(section.shape);
    connection.Execute(
        "INSERT INTO sections (schedule_id, ordinal, name, price, row_count, seats_per_row, row_lengths, "
        "shape) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        schedule, ordinal++, section.name, section.price, section.Rows(), section.seats_per_row, lengths,
        shape);
  }
}

// Writes the seat numbers into the statement's text: preparing so many placeholders takes longer than running
// the statement. This function counts the numbers itself, so the text cannot inject SQL.
void AddSeats(Connection& connection, ScheduleId schedule, SeatNumber seats, const std::vector<bool>& blocked,
              const SeatLayout& layout) {
  std::vector<bool> wheelchair(static_cast<std::size_t>(seats) + 1);
  for (const auto seat : layout.wheelchair()) wheelchair[static_cast<std::size_t>(seat)] = true;
  for (SeatNumber first = 1; first <= seats; first += kSeatsPerInsert) {
    std::string sql = "INSERT INTO seats (schedule_id, number, state, wheelchair) VALUES ";
    const auto last = std::min(first + kSeatsPerInsert - 1, seats);
    for (auto seat = first; seat <= last; ++seat) {
      const auto index = static_cast<std::size_t>(seat);
      sql += fmt::format("{}({},{},{},{})", seat == first ? "" : ",", schedule, seat, blocked[index] ? 4 : 1,
                         wheelchair[index] ? 1 : 0);
    }
    connection.Command(sql);
  }
}

// If an imported id is above all ids in `table`: the first id above all imported ids. Absent: the database
// may generate the next id.
std::optional<std::int64_t> IdAboveImported(Connection& connection, std::string_view table,
                                            std::string_view sold_outs, std::string_view column) {
  auto row = connection.Query(fmt::format("SELECT (SELECT COALESCE(MAX({0}), 0) FROM {1} WHERE {0} <= ?), "
                                          "(SELECT COALESCE(MAX(id), 0) FROM {2})",
                                          column, sold_outs, table),
                              kLastGivenId);
  row.Next();
  if (row.Int(0) <= row.Int(1)) return std::nullopt;
  return row.Int(0) + 1;
}

// Indexed by seat number.
std::vector<bool> BlockedOf(const SchedulePlan& plan, SeatNumber seats) {
  std::vector<bool> blocked(static_cast<std::size_t>(seats) + 1);
  for (const auto seat : plan.blocked) blocked[static_cast<std::size_t>(seat)] = true;
  return blocked;
}

}  // namespace

std::vector<Section> ReadSections(Connection& connection, ScheduleId schedule) {
  std::vector<Section> sections;
  auto rows = connection.Query(
      "SELECT name, row_count, seats_per_row, price, row_lengths, shape FROM sections WHERE schedule_id = ? "
      "ORDER "
      "BY ordinal",
      schedule);
  while (rows.Next()) {
    Section section;
    section.name = rows.Text(0);
    section.rows = static_cast<std::int32_t>(rows.Int(1));
    section.seats_per_row = static_cast<std::int32_t>(rows.Int(2));
    section.price = rows.Int(3);
    section.row_lengths = ReadNumbers(rows.Text(4));
    section.shape = ReadNumbers(rows.Text(5));
    sections.push_back(std::move(section));
  }
  return sections;
}

void AddSeatRows(Connection& connection, ScheduleId schedule, const SchedulePlan& plan) {
  const SeatLayout layout(plan.sections, plan.wheelchair);
  AddSeats(connection, schedule, layout.size(), BlockedOf(plan, layout.size()), layout);
}

std::shared_ptr<const ConcertRecord> ReadConcert(Connection& connection, ConcertId id) {
  auto concert = std::make_shared<ConcertRecord>();
  {
    auto row = connection.Query(
        "SELECT title, artist, venue, price, booking_open_at, hold_seconds, room, max_seats_per_user, "
        "max_seats_per_date, cooldown_seconds, status, created_at, sold_out_at, version, listed, ranked, "
        "life, color, organizer, pre_queue_order, pre_queue_order_life, pre_queue_at, pre_queue_at_life "
        "FROM concerts WHERE id = ?",
        id);
    if (!row.Next()) return nullptr;
    auto& details = concert->details;
    concert->id = id;
    details.title = row.Text(0);
    details.artist = row.Text(1);
    details.venue = row.Text(2);
    details.price = row.Int(3);
    details.booking_open_at = row.OptionalAt(4);
    details.hold = Seconds{row.Int(5)};
    details.room = RoomKindOf(row.Text(6)).value_or(RoomKind::kOwn);
    details.max_seats_per_user = static_cast<std::int32_t>(row.Int(7));
    details.max_seats_per_date = static_cast<std::int32_t>(row.Int(8));
    details.cooldown = Seconds{row.Int(9)};
    concert->cancelled = row.Text(10) == "CANCELLED";
    concert->closed = row.Text(10) == "CLOSED";
    concert->created_at = row.At(11);
    concert->sold_out_at = row.OptionalAt(12);
    concert->version = row.Int(13);
    details.listed = row.Int(14) != 0;
    details.ranked = row.Int(15) != 0;
    concert->life = row.Int(16);
    details.color = ParseColor(row.Text(17));
    if (const auto organizer = row.Text(18); !organizer.empty()) details.organizer = organizer;
    details.pre_queue.order = {ParseName<PreQueueOrder>(row.Text(19)).value_or(PreQueueOrder::kDraw),
                               row.Int(20)};
    details.pre_queue.at = {row.OptionalAt(21), row.Int(22)};
  }
  for (auto& schedule : ReadSchedules(connection, id)) {
    schedule->layout = std::make_shared<const SeatLayout>(ReadSections(connection, schedule->id),
                                                          ReadWheelchair(connection, schedule->id));
    schedule->shards = ShardsOf(schedule->layout->size());
    concert->schedules.push_back(std::move(schedule));
  }
  return concert;
}

void LockIds(Connection& connection) {
  connection.Query("SELECT value FROM ranking_settings WHERE name = 'ids' FOR UPDATE");
}

ConcertId AddConcert(Connection& connection, const ConcertDetails& details, const Id128& token, Time now) {
  LockIds(connection);
  const auto given = IdAboveImported(connection, "concerts", "sold_out_concerts", "concert_id");
  connection.Execute(
      "INSERT INTO concerts (id, token, title, artist, venue, price, booking_open_at, hold_seconds, room, "
      "max_seats_per_user, "
      "max_seats_per_date, cooldown_seconds, created_at, listed, ranked, color, organizer, pre_queue_order, "
      "pre_queue_order_life, pre_queue_at, pre_queue_at_life) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
      "?, ?, ?, ?, ?, ?, ?, ?)",
      given, token, details.title, details.artist, details.venue, details.price, details.booking_open_at,
      details.hold.count(), Name(details.room), details.max_seats_per_user, details.max_seats_per_date,
      details.cooldown.count(), now, details.listed, details.ranked, TextOf(details.color), details.organizer,
      Name(details.pre_queue.order.value), details.pre_queue.order.life, details.pre_queue.at.value,
      details.pre_queue.at.life);
  const auto id = given.value_or(connection.LastInsertId());
  connection.Execute("INSERT INTO outbox_leases (concert_id) VALUES (?)", id);
  return id;
}

void AddSchedule(Connection& connection, ConcertId concert, const SchedulePlan& plan, const Id128& token,
                 Time now) {
  const auto seats = SeatLayout(plan.sections, plan.wheelchair).size();
  const auto blocked = BlockedOf(plan, seats);
  const auto blocked_in = [&](const ShardRecord& shard) {
    return std::count(blocked.begin() + shard.first, blocked.begin() + shard.last + 1, true);
  };
  const auto shards = ShardsOf(seats);
  std::int64_t open = 0, for_sale = 0;
  for (const auto& shard : shards) {
    const auto sellable = shard.last - shard.first + 1 - blocked_in(shard);
    for_sale += sellable;
    open += sellable > 0;
  }
  const auto given = IdAboveImported(connection, "schedules", "sold_out_schedules", "schedule_id");
  connection.Execute(
      "INSERT INTO schedules (id, concert_id, token, concert_date, starts_at, booking_open_at, created_at, "
      "for_sale, open_shards, sales_end_at, day_ends_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      given, concert, token, plan.date, plan.starts_at, plan.booking_open_at, now, for_sale, open,
      plan.sales_end_at, plan.day_ends_at);
  const auto schedule = given.value_or(connection.LastInsertId());
  AddSections(connection, schedule, plan.sections);
  AddSeatRows(connection, schedule, plan);
  for (const auto& shard : shards) {
    const auto not_for_sale = blocked_in(shard);
    connection.Execute(
        "INSERT INTO seat_counts (schedule_id, shard, concert_id, first_number, last_number, available, "
        "held, assigned, "
        "blocked) VALUES (?, ?, ?, ?, ?, ?, 0, 0, ?)",
        schedule, shard.shard, concert, shard.first, shard.last, shard.last - shard.first + 1 - not_for_sale,
        not_for_sale);
  }
  if (open > 0)
    connection.Execute("UPDATE concerts SET open_schedules = open_schedules + 1 WHERE id = ?", concert);
}

// One statement reads both, so that the seats and the version belong to one moment.
ShardSnapshot ReadShard(Connection& connection, ScheduleId schedule, std::int32_t shard) {
  ShardSnapshot snapshot{schedule, shard, 0, {}, {}};
  auto rows = connection.Query(
      "SELECT c.version, c.last_paid_at, s.number, CAST(s.state AS UNSIGNED) FROM seat_counts c JOIN seats s "
      "ON s.schedule_id = c.schedule_id AND s.number BETWEEN c.first_number AND c.last_number "
      "WHERE c.schedule_id = ? AND c.shard = ?",
      schedule, shard);
  while (rows.Next()) {
    snapshot.version = rows.Int(0);
    snapshot.last_paid_at = rows.OptionalAt(1);
    snapshot.seats.push_back({static_cast<SeatNumber>(rows.Int(2)), StateOf(rows.Int(3))});
  }
  return snapshot;
}

}  // namespace maejin::mysql
