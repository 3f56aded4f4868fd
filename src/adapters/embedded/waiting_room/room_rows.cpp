#include "adapters/embedded/waiting_room/room_rows.h"

#include <cstring>

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

std::optional<std::uint32_t> OptionalCount(const Statement& row, int column) {
  if (row.IsNull(column)) return {};
  return static_cast<std::uint32_t>(row.Int(column));
}

std::optional<Time> OptionalTime(const Statement& row, int column) {
  if (row.IsNull(column)) return {};
  return TimeFromMillis(row.Int(column));
}

RoomSettings ReadSettings(const Statement& row, int first) {
  RoomSettings settings;
  settings.capacity = static_cast<std::uint32_t>(row.Int(first));
  settings.admission = ParseAdmission(row.Text(first + 1)).value_or(Admission::kClaim);
  settings.rate_per_minute = OptionalCount(row, first + 2);
  settings.token_ttl = Seconds{row.Int(first + 3)};
  settings.session_limit = Seconds{row.Int(first + 4)};
  settings.turn = Seconds{row.Int(first + 5)};
  settings.grace = Seconds{row.Int(first + 6)};
  settings.admit_interval = Millis{row.Int(first + 7)};
  settings.release_on_payment = row.Int(first + 8) != 0;
  settings.draining = row.Int(first + 9) != 0;
  settings.joins_per_address_per_minute = OptionalCount(row, first + 10);
  settings.pre_queue_at = OptionalTime(row, first + 11);
  settings.opens_at = OptionalTime(row, first + 12);
  settings.closes_at = OptionalTime(row, first + 13);
  settings.notice = row.Text(first + 14);
  settings.order = ParsePreQueueOrder(row.Text(first + 15)).value_or(PreQueueOrder::kDraw);
  settings.followed = row.Int(first + 16);
  settings.ended = row.Int(first + 17) != 0;
  auto& site = settings.site;
  site.title = row.Text(first + 18);
  site.return_urls = SplitLines(row.Text(first + 19));
  site.visitors = ParseVisitors(row.Text(first + 20)).value_or(Visitors::kUsers);
  site.verify = ParseVerify(row.Text(first + 21)).value_or(Verification::kOnline);
  site.standby = ParseStandby(row.Text(first + 22));
  site.floating = ParseFloating(row.Text(first + 23));
  return settings;
}

}  // namespace

void WriteRoom(const RoomRow& row, WriteSet& rows) {
  const auto& settings = row.settings;
  rows.Add(kPutRoom).Int(row.id).Text(row.name).Int(row.epoch).Text(Name(row.state));
  rows.Int(row.last_number).Int(row.serving).Int(settings.capacity).Text(Name(settings.admission));
  rows.OptionalInt(settings.rate_per_minute)
      .Int(settings.token_ttl.count())
      .Int(settings.session_limit.count());
  rows.Int(settings.turn.count()).Int(settings.grace.count()).Int(settings.admit_interval.count());
  rows.Int(settings.release_on_payment)
      .Int(settings.draining)
      .OptionalInt(settings.joins_per_address_per_minute);
  rows.OptionalAt(settings.pre_queue_at).OptionalAt(settings.opens_at).OptionalAt(settings.closes_at);
  rows.Text(settings.notice).Text(Name(settings.order)).Int(settings.followed).Int(settings.ended);
  const auto& site = settings.site;
  rows.Text(site.title).Text(JoinLines(site.return_urls)).Text(Name(site.visitors)).Text(Name(site.verify));
  rows.Text(StandbyText(site.standby)).Text(FloatingText(site.floating));
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
    room.state = ParseRoomState(row.Text(3)).value_or(RoomState::kPaused);
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
