#include "adapters/embedded/waiting_room/rooms.h"

namespace maejin::embedded {
namespace {

SipKey RandomKey(Random& random) { return {random.Next64(), random.Next64()}; }

}  // namespace

Rooms::Rooms(Connection& connection, Journal& journal, Random& random, Time now)
    : journal_(journal), random_(random), user_key_(RandomKey(random)) {
  for (const auto& row : ReadRooms(connection)) {
    auto room = std::make_unique<Room>(row, random_);
    room->line.Restore(row.last_number, row.serving, ReadDraws(connection, row.id));
    ReadPlaces(connection, row.id, [&](RestoredPlace& place, std::string_view user) {
      place.user = KeyOf(user);
      room->line.RestorePlace(place, now);
    });
    room->due_ms = ToMillis(now);
    Publish(std::move(room));
  }
  FindOrCreate(kMainRoom);
}

Room* Rooms::Find(std::string_view name) const {
  const auto bucket = std::hash<std::string_view>{}(name) % kBuckets;
  for (Room* room = buckets_[bucket].load(std::memory_order_acquire); room; room = room->next) {
    if (room->name == name && !room->removed) return room;
  }
  return nullptr;
}

Room& Rooms::Publish(std::unique_ptr<Room> room) {
  auto& bucket = buckets_[std::hash<std::string_view>{}(room->name) % kBuckets];
  room->next = bucket.load(std::memory_order_relaxed);
  bucket.store(room.get(), std::memory_order_release);
  rooms_.push_back(std::move(room));
  return *rooms_.back();
}

Room& Rooms::AddRoom(RoomRow row, const AppendRows& append) {
  row.id = rooms_.empty() ? 1 : rooms_.back()->id + 1;
  auto room = std::make_unique<Room>(row, random_);
  WriteSet rows;
  WriteRoom(row, rows);
  room->created = append(rows);
  return Publish(std::move(room));
}

Room& Rooms::FindOrCreate(std::string_view name, RoomState state) {
  if (Room* room = Find(name)) return *room;
  const std::lock_guard lock(rooms_mutex_);
  if (Room* room = Find(name)) return *room;  // another thread has created it meanwhile
  RoomRow row;
  row.name = name;
  row.settings = DefaultSettings(name);
  row.state = state;
  return AddRoom(std::move(row), [this](const WriteSet& rows) { return journal_.Append(rows); });
}

Room* Rooms::Create(RoomRow row, const AppendRows& append) {
  const std::lock_guard lock(rooms_mutex_);
  if (Find(row.name)) return nullptr;
  return &AddRoom(std::move(row), append);
}

std::vector<Room*> Rooms::All() const {
  const std::lock_guard lock(rooms_mutex_);
  std::vector<Room*> all;
  all.reserve(rooms_.size());
  for (const auto& room : rooms_) {
    if (!room->removed) all.push_back(room.get());
  }
  return all;
}

void Rooms::FindDue(Time now, std::vector<Room*>& due) const {
  const std::lock_guard lock(rooms_mutex_);
  due.clear();
  for (const auto& room : rooms_) {
    const bool is_due = room->due_ms.load(std::memory_order_relaxed) <= ToMillis(now);
    if (is_due && !room->removed) due.push_back(room.get());
  }
}

}  // namespace maejin::embedded
