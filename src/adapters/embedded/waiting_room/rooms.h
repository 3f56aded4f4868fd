// All waiting rooms of one server, by name. Finding a room takes no lock.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "adapters/embedded/sqlite.h"
#include "adapters/embedded/waiting_room/room.h"

namespace maejin::embedded {

// Thread-safe. The object of a deleted room is kept, so that a Room* stays valid; it is not found any more.
class Rooms {
 public:
  // Loads all rooms; every fan counts as seen at `now`. Creates `main` if it is missing. Journal and random
  // outlive it.
  Rooms(Connection& connection, Journal& journal, Random& random, Time now);

  // Null: no such room.
  Room* Find(std::string_view name) const;
  // Returns the room; creates it with default settings if it is missing. Room::created is the ticket.
  Room& FindOrCreate(std::string_view name, RoomState state = RoomState::kOpen);
  // Creates a room with this row, whose id is set here; `append` writes the rows. Null: the name is taken.
  using AppendRows = std::function<Ticket(WriteSet& rows)>;
  Room* Create(RoomRow row, const AppendRows& append);
  std::vector<Room*> All() const;
  // Replaces the elements of `due` by the rooms with work due at `now`.
  void FindDue(Time now, std::vector<Room*>& due) const;
  // The key of a user in the lines.
  UserKey KeyOf(std::string_view user) const { return SipHash128(user_key_, user); }

 private:
  // Call both with rooms_mutex_ held, or from the constructor.
  Room& AddRoom(RoomRow row, const AppendRows& append);
  Room& Publish(std::unique_ptr<Room> room);

  Journal& journal_;
  Random& random_;
  const SipKey user_key_;

  // Buckets of a hash table; the rooms of a bucket are chained by Room::next.
  static constexpr std::size_t kBuckets = 4096;
  std::array<std::atomic<Room*>, kBuckets> buckets_{};
  mutable std::mutex rooms_mutex_;
  std::vector<std::unique_ptr<Room>> rooms_;  // guarded by rooms_mutex_
};

}  // namespace maejin::embedded
