#include "adapters/embedded/waiting_room_store.h"

#include <algorithm>

#include <fmt/format.h>

#include "adapters/embedded/waiting_room_room.h"
#include "adapters/embedded/waiting_room_rows.h"
#include "store/room_events.h"

namespace maejin::embedded {
namespace {

SipKey RandomKey(Random& random) { return {random.Next64(), random.Next64()}; }

}  // namespace

WaitingRoomStore::WaitingRoomStore(Connection& connection, Journal& journal, AuditLog& audit, Random& random,
                                   Time now, WaitingRoomStoreOptions options)
    : journal_(journal), audit_(audit), random_(random), options_(options), user_key_(RandomKey(random)) {
  for (const auto& row : ReadRooms(connection)) {
    auto room = std::make_unique<Room>(row, random_);
    room->line.Restore(row.last_number, row.serving, ReadDraws(connection, row.id));
    ReadPlaces(connection, row.id,
               [&](PlaceNumber number, std::string_view user, std::optional<Time> entered_at) {
                 room->line.RestorePlace(number, KeyOf(user), entered_at, now);
               });
    room->due_ms = ToMillis(now);
    Publish(std::move(room));
  }
  if (!Find(kMainRoom)) Make(kMainRoom, RoomState::kOpen);
}

WaitingRoomStore::~WaitingRoomStore() = default;

// Rooms.

WaitingRoomStore::Room* WaitingRoomStore::Find(std::string_view name) const {
  const auto bucket = std::hash<std::string_view>{}(name) % kBuckets;
  for (Room* room = buckets_[bucket].load(std::memory_order_acquire); room; room = room->next) {
    if (room->name == name) return room;
  }
  return nullptr;
}

WaitingRoomStore::Room& WaitingRoomStore::Publish(std::unique_ptr<Room> room) {
  auto& bucket = buckets_[std::hash<std::string_view>{}(room->name) % kBuckets];
  room->next = bucket.load(std::memory_order_relaxed);
  bucket.store(room.get(), std::memory_order_release);
  rooms_.push_back(std::move(room));
  return *rooms_.back();
}

WaitingRoomStore::Room& WaitingRoomStore::Make(std::string_view name, RoomState state) {
  const std::lock_guard lock(rooms_mutex_);
  if (Room* room = Find(name)) return *room;
  RoomRow row;
  row.id = rooms_.empty() ? 1 : rooms_.back()->id + 1;
  row.name = name;
  row.settings = DefaultSettings(name);
  row.state = state;
  auto room = std::make_unique<Room>(row, random_);
  WriteSet rows;
  WriteRoom(row, rows);
  room->created = journal_.Append(rows);
  return Publish(std::move(room));
}

Task<Outcome<Done>> WaitingRoomStore::EnsureRoom(RoomId name, Time, RoomState state) {
  Room* room = Find(name);
  if (!room && !journal_.Accepting()) co_return Refusal::kUnavailable;
  if (!room) room = &Make(name, state);
  co_return co_await journal_.Committed(room->created);
}

std::vector<RoomId> WaitingRoomStore::Rooms() const {
  const std::lock_guard lock(rooms_mutex_);
  std::vector<RoomId> names;
  for (const auto& room : rooms_) names.push_back(room->name);
  return names;
}

std::vector<RoomStats> WaitingRoomStore::Stats() const {
  std::vector<Room*> rooms;
  {
    const std::lock_guard lock(rooms_mutex_);
    for (const auto& room : rooms_) rooms.push_back(room.get());
  }
  std::vector<RoomStats> all;
  all.reserve(rooms.size());
  for (Room* room : rooms) {
    const std::lock_guard lock(room->mutex);
    auto& stats = all.emplace_back(room->stats);
    stats.room = room->name;
    stats.serving = room->line.Summary();
    stats.no_shows += room->line.turns_passed();
  }
  return all;
}

std::size_t WaitingRoomStore::BytesOf(std::string_view name) const {
  Room* room = Find(name);
  const std::lock_guard lock(room->mutex);
  return room->line.bytes();
}

// The rim of every decision.

void WaitingRoomStore::NoticePause(Time now) {
  const auto now_ms = ToMillis(now);
  if (!journal_.Accepting()) {
    refused_.store(true, std::memory_order_relaxed);
  } else if (refused_.load(std::memory_order_relaxed) && refused_.exchange(false)) {
    resumed_ms_ = now_ms;
  }
  const auto last = last_call_ms_.load(std::memory_order_relaxed);
  if (now_ms > last + 50) {
    last_call_ms_.store(now_ms, std::memory_order_relaxed);
    if (options_.pause_after && last != 0 && now_ms - last > options_.pause_after->count())
      resumed_ms_ = now_ms;
  }
}

void WaitingRoomStore::Arrive(Room& room, Time now) {
  NoticePause(now);
  const auto resumed = resumed_ms_.load(std::memory_order_relaxed);
  if (room.excused_ms >= resumed) return;
  room.excused_ms = resumed;
  room.line.ResetPresence(TimeFromMillis(resumed));
}

PlaceNumber WaitingRoomStore::NumberOf(const Room& room, const PlaceView& place, const UserKey& user) {
  if (place.number == 0) return room.line.Find(user);
  return place.epoch == room.epoch ? place.number : 0;
}

PlaceAnswer WaitingRoomStore::Answer(Room& room, Standing standing) const {
  return {standing, room.epoch, room.line.state(), room.notice, false, room.line.settings().token_ttl};
}

Ticket WaitingRoomStore::PendingEntry(const Room& room, PlaceNumber number) const {
  const auto entry = room.entering.find(number);
  return entry == room.entering.end() ? 0 : entry->second;
}

// An entry that is not on disk yet is not told: the fan still waits.
void WaitingRoomStore::HideUncommitted(Room& room, Standing& standing) const {
  if (standing.status != PlaceStatus::kEntered || room.entering.empty()) return;
  const auto entry = room.entering.find(standing.number);
  if (entry == room.entering.end()) return;
  if (journal_.IsCommitted(entry->second)) {
    room.entering.erase(entry);
    return;
  }
  const bool claim = room.line.settings().admission == Admission::kClaim;
  standing.status = claim ? PlaceStatus::kReady : PlaceStatus::kWaiting;
  standing.poll_after = Millis{250};
  standing.ends_at = {};
}

void WaitingRoomStore::WriteRoomRow(const Room& room, WriteSet& rows) const {
  const RoomRow row{room.id,
                    room.name,
                    room.epoch,
                    room.line.state(),
                    room.line.last_number(),
                    room.line.serving(),
                    room.line.settings()};
  WriteRoom(row, rows);
  if (!room.line.draws().empty()) WriteDraw(room.id, room.line.draws().back(), rows);
}

void WaitingRoomStore::CountChange(Room& room, const RoomChange& change) {
  auto& stats = room.stats;
  stats.arrivals += change.kind == RoomChange::Kind::kJoined ? 1 : 0;
  stats.admissions += change.kind == RoomChange::Kind::kEntered ? 1 : 0;
  if (change.kind != RoomChange::Kind::kEnded) return;
  ++stats.ends[static_cast<std::size_t>(change.ending)];
  stats.no_shows += change.no_show ? 1 : 0;
}

void WaitingRoomStore::WriteChange(Room& room, const RoomChange& change, std::string_view user,
                                   WriteSet& rows) const {
  switch (change.kind) {
    case RoomChange::Kind::kJoined:
      return WriteJoined(room.id, change.number, user, change.at, rows);
    case RoomChange::Kind::kEntered:
      return WriteEntered(room.id, change.number, change.at, rows);
    case RoomChange::Kind::kEnded:
      room.entering.erase(change.number);
      WriteEnded(room.id, change.number, rows);
      if (change.number == room.line.last_number() || change.number == room.line.serving()) {
        WriteNumbers(room.id, room.line.last_number(), room.line.serving(), rows);
      }
      return;
    case RoomChange::Kind::kRoom:
      return WriteRoomRow(room, rows);
  }
}

Ticket WaitingRoomStore::Write(Room& room, std::string_view user, const AuditEntry* audit) {
  room.due_ms.store(ToMillis(room.line.NextDue()), std::memory_order_relaxed);
  auto& changes = room.line.changes();
  if (changes.empty() && !audit) return 0;
  thread_local WriteSet rows;
  rows.Clear();
  bool joined = false;
  bool configured = audit != nullptr;
  for (const auto& change : changes) {
    CountChange(room, change);
    WriteChange(room, change, user, rows);
    joined = joined || change.kind == RoomChange::Kind::kJoined;
    configured = configured || change.kind == RoomChange::Kind::kRoom;
  }
  std::vector<EventDraft> drafts;
  if (room.line.state() != room.told_state) {
    room.told_state = room.line.state();
    const auto now = audit ? audit->at : TimeFromMillis(last_call_ms_.load(std::memory_order_relaxed));
    AppendRoomEvent(drafts, room.name, room.told_state, now);
  }
  const auto ticket =
      audit ? audit_.Append(rows, *audit, {}, std::move(drafts)) : journal_.Append(rows, {}, drafts);
  for (const auto& change : changes) {
    if (change.kind == RoomChange::Kind::kEntered) room.entering[change.number] = ticket;
  }
  if (joined) room.joined = ticket;
  if (configured) {
    room.configured = ticket;
    room.notice = SharedNotice(room.line.settings());
  }
  changes.clear();
  return ticket;
}

}  // namespace maejin::embedded
