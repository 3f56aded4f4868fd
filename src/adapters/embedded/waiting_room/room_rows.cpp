#include "adapters/embedded/waiting_room/room_rows.h"

#include <cstring>

#include "domain/waiting_room/settings_fields.h"

namespace maejin::embedded {
namespace {

constexpr Sql kPutRoom{
    "INSERT OR REPLACE INTO room (id, name, epoch, state, last_number, serving, capacity, admission, "
    "rate_per_minute, token_ttl_seconds, session_limit_seconds, turn_seconds, grace_seconds, "
    "admit_interval_ms, "
    "release_on_payment, draining, joins_per_address_per_minute, pre_queue_at, opens_at, closes_at, notice, "
    "pre_queue_order, followed, ended, title, return_urls, visitors, verify, standby, floating) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"};
constexpr Sql kPutNumbers{"UPDATE room SET last_number = ?, serving = ? WHERE id = ?"};
constexpr Sql kPutDraw{
    "INSERT OR REPLACE INTO draw (room, first, count, seed, order_digest) VALUES (?, ?, ?, ?, ?)"};
constexpr Sql kJoin{"INSERT INTO place (room, number, user, joined_at) VALUES (?, ?, ?, ?)"};
constexpr Sql kEnter{"UPDATE place SET entered_at = ? WHERE room = ? AND number = ?"};
constexpr Sql kKeepPassEnds{
    "UPDATE place SET pass_ends_at = max(coalesce(pass_ends_at, 0), entered_at + ?) "
    "WHERE room = ? AND entered_at IS NOT NULL"};
constexpr Sql kRemoveRoom{"DELETE FROM room WHERE id = ?"};
constexpr Sql kRemovePlaces{"DELETE FROM place WHERE room = ?"};
constexpr Sql kRemoveDraws{"DELETE FROM draw WHERE room = ?"};
constexpr Sql kRemoveRevoked{"DELETE FROM revoked_pass WHERE room = ?"};
constexpr Sql kRevoke{"INSERT OR REPLACE INTO revoked_pass (room, jti, expires_at) VALUES (?, ?, ?)"};
constexpr Sql kForgetRevoked{"DELETE FROM revoked_pass WHERE room = ? AND expires_at <= ?"};
constexpr Sql kRemoveTally{"DELETE FROM room_tally WHERE room = ?"};
constexpr Sql kRemoveWaits{"DELETE FROM room_waits WHERE room = ?"};
constexpr Sql kWait{
    "INSERT INTO room_waits (room, seconds, fans) SELECT room, max(0, ? - max(joined_at, coalesce("
    "(SELECT opened_at FROM room_tally WHERE room_tally.room = place.room), 0))) / 1000, 1 "
    "FROM place WHERE room = ? AND number = ? ON CONFLICT (room, seconds) DO UPDATE SET fans = fans + 1"};
constexpr Sql kOpened{
    "INSERT INTO room_tally (room, counted_from, opened_at, no_shows) VALUES (?, 0, ?, 0) "
    "ON CONFLICT (room) DO UPDATE SET opened_at = excluded.opened_at"};
constexpr Sql kNoShows{
    "INSERT INTO room_tally (room, counted_from, no_shows) VALUES (?, 0, ?) "
    "ON CONFLICT (room) DO UPDATE SET no_shows = no_shows + excluded.no_shows"};
constexpr Sql kEnd{"DELETE FROM place WHERE room = ? AND number = ?"};

std::optional<Time> OptionalTime(const Statement& row, int column) {
  if (row.IsNull(column)) return {};
  return TimeFromMillis(row.Int(column));
}

// The columns of settings: numbers and lengths as integers, times in milliseconds, the others as texts.
void AddColumn(WriteSet& rows, std::integral auto number) { rows.Int(number); }
template <class Rep, class Period>
void AddColumn(WriteSet& rows, std::chrono::duration<Rep, Period> length) {
  rows.Int(length.count());
}
void AddColumn(WriteSet& rows, std::optional<std::uint32_t> number) { rows.OptionalInt(number); }
void AddColumn(WriteSet& rows, std::optional<Time> time) { rows.OptionalAt(time); }
void AddColumn(WriteSet& rows, const TextSetting auto& setting) { rows.Text(SettingText(setting)); }

template <std::integral Number>
void ReadColumn(const Statement& row, int column, Number& number) {
  number = static_cast<Number>(row.Int(column));
}
template <class Rep, class Period>
void ReadColumn(const Statement& row, int column, std::chrono::duration<Rep, Period>& length) {
  length = std::chrono::duration<Rep, Period>{row.Int(column)};
}
void ReadColumn(const Statement& row, int column, std::optional<std::uint32_t>& number) {
  if (!row.IsNull(column)) ReadColumn(row, column, number.emplace());
}
void ReadColumn(const Statement& row, int column, std::optional<Time>& time) {
  time = OptionalTime(row, column);
}
void ReadColumn(const Statement& row, int column, TextSetting auto& setting) {
  ReadSetting(row.Text(column), setting);
}

RoomSettings ReadSettings(const Statement& row, int column) {
  RoomSettings settings;
  ForEachSetting(settings, [&](const char*, auto& value) { ReadColumn(row, column++, value); });
  return settings;
}

}  // namespace

void WriteRoom(const RoomRow& row, WriteSet& rows) {
  rows.Add(kPutRoom).Int(row.id).Text(row.name).Int(row.epoch).Text(Name(row.state));
  rows.Int(row.last_number).Int(row.serving);
  ForEachSetting(row.settings, [&](const char*, const auto& value) { AddColumn(rows, value); });
}

void WriteDraw(std::int64_t room, const Draw& draw, WriteSet& rows) {
  rows.Add(kPutDraw).Int(room).Int(draw.first).Int(draw.count);
  rows.Blob({reinterpret_cast<const char*>(draw.seed.data()), draw.seed.size()}).Text(draw.order_digest);
}

void WriteJoined(std::int64_t room, PlaceNumber number, std::string_view user, Time at, WriteSet& rows) {
  rows.Add(kJoin).Int(room).Int(number).Text(user).At(at);
}

void WriteEntered(std::int64_t room, PlaceNumber number, Time at, WriteSet& rows) {
  rows.Add(kEnter).At(at).Int(room).Int(number);
}

void WritePassEnds(std::int64_t room, Seconds limit, WriteSet& rows) {
  rows.Add(kKeepPassEnds).Int(Millis{limit}.count()).Int(room);
}

void WriteEnded(std::int64_t room, PlaceNumber number, WriteSet& rows) {
  rows.Add(kEnd).Int(room).Int(number);
}

void WriteNumbers(std::int64_t room, PlaceNumber last_number, PlaceNumber serving, WriteSet& rows) {
  rows.Add(kPutNumbers).Int(last_number).Int(serving).Int(room);
}

void WriteRemoved(std::int64_t room, WriteSet& rows) {
  for (const auto* sql :
       {&kRemoveRoom, &kRemovePlaces, &kRemoveDraws, &kRemoveRevoked, &kRemoveTally, &kRemoveWaits})
    rows.Add(*sql).Int(room);
}

void WriteRevoked(std::int64_t room, const Revocation& revocation, WriteSet& rows) {
  rows.Add(kRevoke).Int(room).Text(revocation.jti).At(revocation.expires_at);
}

void WriteForgotten(std::int64_t room, Time now, WriteSet& rows) {
  rows.Add(kForgetRevoked).Int(room).At(now);
}

void WriteWait(std::int64_t room, PlaceNumber number, Time at, WriteSet& rows) {
  rows.Add(kWait).At(at).Int(room).Int(number);
}

void WriteOpened(std::int64_t room, Time at, WriteSet& rows) { rows.Add(kOpened).Int(room).At(at); }

void WriteNoShows(std::int64_t room, std::uint64_t count, WriteSet& rows) {
  rows.Add(kNoShows).Int(room).Int(static_cast<std::int64_t>(count));
}

RoomTally ReadTallyRows(Connection& connection, std::int64_t room) {
  RoomTally tally;
  auto counts = connection.Prepare("SELECT counted_from, no_shows FROM room_tally WHERE room = ?");
  counts.Bind(1, room);
  if (counts.Step()) {
    tally.complete = counts.Int(0) == 0;
    tally.no_shows = counts.Int(1);
  }
  auto waits = connection.Prepare("SELECT seconds, fans FROM room_waits WHERE room = ?");
  waits.Bind(1, room);
  while (waits.Step()) {
    tally.waits.emplace(waits.Int(0), waits.Int(1));
    tally.admissions += waits.Int(1);
  }
  return tally;
}

std::vector<RoomRow> ReadRooms(Connection& connection) {
  std::vector<RoomRow> rooms;
  auto row = connection.Prepare(
      "SELECT id, name, epoch, state, last_number, serving, capacity, admission, rate_per_minute, "
      "token_ttl_seconds, "
      "session_limit_seconds, turn_seconds, grace_seconds, admit_interval_ms, release_on_payment, draining, "
      "joins_per_address_per_minute, pre_queue_at, opens_at, closes_at, notice, pre_queue_order, followed, "
      "ended, title, return_urls, visitors, verify, standby, floating FROM room ORDER BY id");
  while (row.Step()) {
    RoomRow room;
    room.id = row.Int(0);
    room.name = row.Text(1);
    room.epoch = static_cast<std::uint32_t>(row.Int(2));
    room.state = ParseName<RoomState>(row.Text(3)).value_or(RoomState::kPaused);
    room.last_number = static_cast<PlaceNumber>(row.Int(4));
    room.serving = static_cast<PlaceNumber>(row.Int(5));
    room.settings = ReadSettings(row, 6);
    rooms.push_back(std::move(room));
  }
  return rooms;
}

std::vector<Draw> ReadDraws(Connection& connection, std::int64_t room) {
  std::vector<Draw> draws;
  auto row =
      connection.Prepare("SELECT first, count, seed, order_digest FROM draw WHERE room = ? ORDER BY first");
  row.Bind(1, room);
  while (row.Step()) {
    Draw draw;
    draw.first = static_cast<PlaceNumber>(row.Int(0));
    draw.count = static_cast<std::uint32_t>(row.Int(1));
    const auto seed = row.Text(2);
    if (seed.size() != draw.seed.size()) throw SqliteError(0, "a draw's seed is damaged");
    std::memcpy(draw.seed.data(), seed.data(), seed.size());
    draw.commitment = Commitment(draw.seed);
    draw.order_digest = row.Text(3);
    draws.push_back(std::move(draw));
  }
  return draws;
}

std::vector<Revocation> ReadRevoked(Connection& connection, std::int64_t room, Time now) {
  std::vector<Revocation> revoked;
  auto row = connection.Prepare("SELECT jti, expires_at FROM revoked_pass WHERE room = ? AND expires_at > ?");
  row.Bind(1, room).Bind(2, ToMillis(now));
  while (row.Step()) revoked.push_back({std::string(row.Text(0)), TimeFromMillis(row.Int(1))});
  return revoked;
}

void ReadPlaces(Connection& connection, std::int64_t room, const PlaceVisitor& visit) {
  auto row = connection.Prepare(
      "SELECT number, user, entered_at, pass_ends_at FROM place WHERE room = ? ORDER BY number");
  row.Bind(1, room);
  while (row.Step()) {
    RestoredPlace place;
    place.number = static_cast<PlaceNumber>(row.Int(0));
    place.entered_at = OptionalTime(row, 2);
    place.earlier_pass_ends_at = OptionalTime(row, 3);
    visit(place, row.Text(1));
  }
}

}  // namespace maejin::embedded
