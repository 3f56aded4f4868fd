// The waiting rooms of one server: memory decides, SQLite remembers.
//
// Every room has a lock of its own, held for the length of one decision; finding a room takes none. Joins,
// entries, ends, settings, phases and draws are durable. Presence and the observed outflow are not: after a
// restart everybody counts as seen at the restart.
//
// While the disk refuses, positions are still told, nobody joins, enters or expires.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string_view>

#include "adapters/embedded/audit_log.h"
#include "adapters/embedded/journal.h"
#include "base/random.h"
#include "store/waiting_room_store.h"

namespace maejin::embedded {

struct WaitingRoomStoreOptions {
  // Where no call and no tick came for so long, the process was stopped, and nobody could poll: everybody
  // counts as seen when it goes on. The serving process, which ticks every 100 ms, sets it; absent: time may
  // jump (tests).
  std::optional<Millis> pause_after = {};
};

class WaitingRoomStore final : public maejin::WaitingRoomStore {
 public:
  // Loads all rooms; `main` is made where it is missing. Journal, audit and random outlive the store.
  WaitingRoomStore(Connection& connection, Journal& journal, AuditLog& audit, Random& random, Time now,
                   WaitingRoomStoreOptions options = {});
  ~WaitingRoomStore() override;

  Task<Outcome<Done>> EnsureRoom(RoomId room, Time now, RoomState state = RoomState::kOpen) override;
  Task<Outcome<PlaceAnswer>> Join(JoinRequest request, Time now) override;
  Task<Outcome<PlaceAnswer>> Poll(PlaceRef place, Time now) override;
  std::optional<Outcome<PlaceAnswer>> PollAtOnce(const PlaceView& place, Time now) override;
  std::optional<Outcome<PlaceAnswer>> LookAtOnce(const PlaceView& place, Time now) override;
  Task<Outcome<PlaceAnswer>> Enter(PlaceRef place, Time now) override;
  Task<Outcome<Done>> Leave(PlaceRef place, Time now) override;
  Task<Outcome<Done>> ReleaseAfterPayment(RoomId room, UserId user, Time now) override;
  Task<Outcome<PlaceAnswer>> CheckInside(PlaceRef place, Time now) override;
  Task<Outcome<Done>> Revoke(RoomId room, UserId user, std::string actor, Time now) override;
  Task<Outcome<RoomInfo>> Configure(RoomId room, RoomPatch patch, std::string actor, Time now) override;
  void SetSeats(RoomId room, bool has_seats, Time now) override;
  Task<Outcome<RoomInfo>> Read(RoomId room, Time now) override;
  Task<Outcome<Serving>> ReadServing(RoomId room, Time now) override;
  std::optional<Outcome<Serving>> ServingAtOnce(std::string_view room, Time now) override;
  std::vector<RoomId> Rooms() const override;
  std::vector<RoomStats> Stats() const override;
  void Tick(Time now) override;

  // Memory of one room's places, for the benchmarks.
  std::size_t BytesOf(std::string_view room) const;

 private:
  struct Room;

  Room* Find(std::string_view name) const;
  Room& Publish(std::unique_ptr<Room> room);
  Room& Make(std::string_view name, RoomState state);
  UserKey KeyOf(std::string_view user) const { return SipHash128(user_key_, user); }

  // Was the process stopped, or the disk away? Then nobody could poll, or no poll could count.
  void NoticePause(Time now);
  // Call first, under the room's lock.
  void Arrive(Room& room, Time now);
  // The number a claim means, or 0 where the place has ended.
  static PlaceNumber NumberOf(const Room& room, const PlaceView& place, const UserKey& user);
  // Turns the room's changes into rows; the room's lock is held. `user` joined, if anybody did.
  Ticket Write(Room& room, std::string_view user = {}, const AuditEntry* audit = nullptr);
  static void CountChange(Room& room, const RoomChange& change);
  void WriteChange(Room& room, const RoomChange& change, std::string_view user, WriteSet& rows) const;
  void WriteRoomRow(const Room& room, WriteSet& rows) const;
  PlaceAnswer Answer(Room& room, Standing standing) const;
  void HideUncommitted(Room& room, Standing& standing) const;
  RoomInfo Info(const Room& room) const;
  // What a transition leaves to wait for, with the answer to give then.
  struct Decided {
    Ticket ticket = 0;
    PlaceAnswer answer;
  };
  static bool MayJoin(Room& room, const UserKey& user, std::string_view address, Time now);
  Outcome<Decided> DecideJoin(const JoinRequest& request, Time now);
  Outcome<Decided> DecideEnter(const PlaceView& place, Time now);
  Outcome<Decided> DecideInside(const PlaceView& place, Time now);
  struct Ended {
    Ticket ticket = 0;
    bool ended = false;
  };
  Outcome<Ended> DecideEnd(const PlaceView& place, Ending ending, Time now,
                           const AuditEntry* audit = nullptr);
  struct Configured {
    Ticket ticket = 0;
    RoomInfo info;
  };
  Outcome<Configured> DecideConfigure(std::string_view room, const RoomPatch& patch, std::string_view actor,
                                      Time now);
  Outcome<Configured> DecideRead(std::string_view room, Time now);
  // The ticket of an entry that may not be on disk yet, or 0; the room's lock is held.
  Ticket PendingEntry(const Room& room, PlaceNumber number) const;
  // The ticket of the room's newest join.
  Ticket PendingJoin(std::string_view room) const;

  Journal& journal_;
  AuditLog& audit_;
  Random& random_;
  const WaitingRoomStoreOptions options_;
  const SipKey user_key_;
  std::atomic<std::int64_t> last_call_ms_{0};
  std::atomic<std::int64_t> resumed_ms_{0};
  std::atomic<bool> refused_{false};  // the disk did

  // Rooms are never removed, so readers follow the chains without a lock.
  static constexpr std::size_t kBuckets = 4096;
  std::array<std::atomic<Room*>, kBuckets> buckets_{};
  mutable std::mutex rooms_mutex_;
  std::vector<std::unique_ptr<Room>> rooms_;  // guarded by rooms_mutex_
  std::vector<Room*> ticking_;                // the ticking thread only
};

}  // namespace maejin::embedded
