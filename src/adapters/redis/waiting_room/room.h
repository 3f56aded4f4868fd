// A node's knowledge of one room, and the answers that it gives without Redis.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "adapters/redis/waiting_room/mirror.h"
#include "adapters/redis/waiting_room/replies.h"
#include "adapters/redis/waiting_room/signs_of_life.h"
#include "store/admission_log.h"
#include "store/waiting_room_store.h"

namespace maejin::redis {

// Thread-safe.
class Room {
 public:
  // The maximum age of an answer from memory; beyond it Redis decides.
  static constexpr Millis kMaxAge{250};
  using RecordPtr = std::shared_ptr<const RoomRecord>;

  explicit Room(RoomId name) : name_(std::move(name)) {}
  const RoomId& name() const { return name_; }

  // Answers a poll by token. Absent: Redis must decide, because the place is near the front, inside, not
  // eligible, ended or unknown, or because the mirror is too old. `is_sign`: the poll counts as a sign of
  // life, which is written later.
  std::optional<PlaceAnswer> Poll(const PlaceView& place, Time now, bool is_sign);
  std::optional<Serving> ServingNow(Time now);
  // The answer to a request that Redis decided, with the rank from the mirror. `is_poll`: the request was a
  // poll.
  PlaceAnswer AnswerOf(const FanReply& fan, bool is_poll, Time now);
  // The answer during an outage: for a fan with an admission record, or (nullptr) for a waiter that the
  // mirror does not know.
  PlaceAnswer AnswerAway(const PlaceRef& place, const AdmissionRecord* admission, Time now);

  // The lowest state that Redis must have reached, and the last change in the mirror (-1: none).
  struct Knowledge {
    std::uint32_t epoch = 0;
    std::uint32_t changes = 0;
    PlaceNumber highest = 0;
    std::int64_t mirror_at = -1;
  };
  Knowledge known() const;
  // Raises the known epoch and number to those of a signed token, which proves that they were given.
  void LearnFromToken(PlaceNumber number, std::uint32_t epoch);
  // False: the mirror cannot follow, and the room must be read.
  bool Follow(const RoomHead& head, Time now);
  // False: the room has changed since the last update of the mirror.
  bool IsUpToDate(const RoomHead& head, Time now);
  // What this node knew before a loss.
  struct LineBefore {
    std::uint32_t nodes = 0;  // the number of nodes that mirrored the room; 0: not known
    Mirror::Bits bits;
  };
  // Loads a record. False: read the room again, because this node has a newer one, or because `before` must
  // be sent along; `before` is then set.
  bool Load(RoomRecord record, LineBefore& before, Time now);
  // Loads the settings and numbers of a room that is not recovered yet, unless a record is loaded.
  void LoadUnrecovered(RoomRecord record);

  // Absent: the room was never read.
  RecordPtr record() const;
  RoomInfo info() const;
  RoomStats stats() const;
  // After a loss: places may still be restored.
  bool IsSettling(Time now) const;
  // Call when Redis did not answer a call that began at `now`. During an outage a node reports ranks only if
  // no other node mirrors the room: another node may have reported better ranks.
  void SetAway(Time now);
  // True: fans polled recently, so the mirror is kept current.
  bool IsFollowed(Time now) const;
  SignsOfLife::Batch TakeSigns(Time now);
  void ReturnSigns(SignsOfLife::Batch batch, Time now);

  // Whether a coroutine of this node recovers the room. Only that coroutine uses `moved_to` and `moved_at`:
  // the epoch with which, according to the database, another Redis serves the room, and when the node
  // detected it.
  std::atomic<bool> recovering{false};
  std::uint32_t moved_to = 0;
  Time moved_at{};
  // Used by the ticker only.
  Time tick_at{};
  Time write_at{};
  Time follow_at{};
  Time show_at{};
  std::optional<std::int64_t> shown_seats;
  std::atomic<bool> has_log_entries{false};  // log entries wait for the database
  // Used only by the ticker's task that writes to the database.
  Time record_at{};
  SavedRoom saved;

 private:
  // Call with mutex_ held.
  void Complete(PlaceAnswer& answer, Time now) const;
  Serving ServingHere() const;
  void Learn(PlaceNumber number, std::uint32_t epoch, std::uint32_t changes);

  const RoomId name_;
  mutable std::mutex mutex_;  // guards everything below
  Mirror mirror_;
  SignsOfLife signs_;
  RecordPtr record_;  // without bitmaps
  std::shared_ptr<const std::string> notice_;
  RoomStats stats_;
  Knowledge known_;  // without the mirror
  PlaceNumber serving_ = 0;
  std::uint32_t entered_ = 0;
  std::uint32_t nodes_ = 0;  // the number of nodes that mirror the room
  bool is_away_ = false;
  Millis age_when_away_{0};  // age of the mirror at the start of the outage
  Time synced_at_{};
  Time polled_at_{};
};

// Thread-safe. The object of a deleted room is kept, so that a Room* stays valid; it is not found any more.
class Rooms {
 public:
  // nullptr: this node does not know the room.
  Room* Find(std::string_view name) const;
  Room& Add(const RoomId& name);
  // Removes a deleted room; its object is kept.
  void Retire(std::string_view name);
  std::vector<Room*> All() const;

 private:
  // Every poll looks a room up: a hash compares one name, a map as many as its depth.
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  mutable std::shared_mutex mutex_;  // guards everything below
  std::unordered_map<RoomId, std::unique_ptr<Room>, Hash, std::equal_to<>> rooms_;
  std::vector<std::unique_ptr<Room>> retired_;
};

}  // namespace maejin::redis
