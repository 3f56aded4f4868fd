// What a node knows of one room, and the answers that it gives without asking Redis.
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
  // An answer from memory is at most so old; else Redis is asked.
  static constexpr Millis kMaxAge{250};
  using RecordPtr = std::shared_ptr<const RoomRecord>;

  explicit Room(RoomId name) : name_(std::move(name)) {}
  const RoomId& name() const { return name_; }

  // A poll by token. Absent where Redis must decide: the place is near the front, inside, absent, ended or
  // not known, or the mirror is too old. `is_sign`: a sign of life, which is written later.
  std::optional<PlaceAnswer> Poll(const PlaceView& place, Time now, bool is_sign);
  std::optional<Serving> ServingNow(Time now);
  // What Redis decided of a fan, with the rank as the mirror counts it. `is_poll`: Redis took it for a sign
  // of life.
  PlaceAnswer AnswerOf(const FanReply& fan, bool is_poll, Time now);
  // While Redis is away: a fan inside by the database, or a waiter of whom the mirror knows nothing.
  PlaceAnswer AnswerAway(const PlaceRef& place, const AdmissionRecord* admission, Time now);

  // What Redis must not have forgotten, and how far the mirror has followed (-1: not at all).
  struct Knowledge {
    std::uint32_t epoch = 0;
    std::uint32_t changes = 0;
    PlaceNumber highest = 0;
    std::int64_t mirror_at = -1;
  };
  Knowledge known() const;
  // A signed token proves that its number was given, whatever Redis says.
  void Believe(PlaceNumber number, std::uint32_t epoch);
  // False: the mirror cannot follow, and the room must be read.
  bool Follow(const RoomHead& head, Time now);
  // False: something has changed since the mirror was brought up to date.
  bool IsUpToDate(const RoomPeek& peek, Time now);
  // What this node knew before a loss.
  struct LineBefore {
    std::uint32_t nodes = 0;  // that mirrored the room; 0: not known
    Mirror::Bits bits;
  };
  // Takes over what was read. False: the room must be read again, since the mirror has followed further
  // meanwhile, or since `before` has to be sent along, which is written there.
  bool Load(RoomRecord record, LineBefore& before, Time now);
  // Only settings and numbers, of a room that is not recovered yet.
  void LoadUnrecovered(RoomRecord record);

  // Absent: never read.
  RecordPtr record() const;
  RoomInfo info() const;
  RoomStats stats() const;
  bool IsSettling(Time now) const;
  // Redis did not answer a call that began at `now`. A node that alone mirrors the room goes on reporting
  // ranks. Another node may have reported better ones than this mirror knows.
  void SetAway(Time now);
  // Fans polled lately: the mirror is kept up to date.
  bool IsFollowed(Time now) const;
  SignsOfLife::Batch TakeSigns(Time now);
  void ReturnSigns(SignsOfLife::Batch batch, Time now);

  // For recovery: one coroutine of the node at a time; and the epoch at which another Redis serves the room,
  // by the database, and when that was noticed.
  std::atomic<bool> recovering{false};
  std::atomic<std::uint32_t> moved_to{0};
  std::atomic<std::int64_t> moved_at_ms{0};
  // For the ticker, which alone uses these.
  Time tick_at{};
  Time write_at{};
  Time follow_at{};
  Time show_at{};
  std::optional<std::int64_t> shown_seats;
  std::atomic<bool> has_notes{false};  // that wait for the database
  // For the part of it that writes to the database.
  Time remember_at{};
  std::string remembered;

 private:
  // With the lock.
  void Complete(PlaceAnswer& answer, Time now) const;
  Serving ServingHere() const;

  const RoomId name_;
  mutable std::mutex mutex_;  // guards everything below
  Mirror mirror_;
  SignsOfLife signs_;
  RecordPtr record_;  // without bitmaps
  std::shared_ptr<const std::string> notice_;
  RoomStats stats_;
  std::uint32_t epoch_ = 0;  // highest known, and its changes
  std::uint32_t changes_ = 0;
  PlaceNumber highest_ = 0;
  PlaceNumber serving_ = 0;
  std::uint32_t entered_ = 0;
  std::uint32_t nodes_ = 0;  // that mirror the room
  bool is_away_ = false;
  Millis age_when_away_{0};  // of the mirror, when Redis went away
  Time synced_at_{};
  Time polled_at_{};
};

// Thread-safe. Rooms stay until the end.
class Rooms {
 public:
  // nullptr: not known here.
  Room* Find(std::string_view name) const;
  Room& Add(const RoomId& name);
  std::vector<Room*> All() const;

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  mutable std::shared_mutex mutex_;
  std::unordered_map<RoomId, std::unique_ptr<Room>, Hash, std::equal_to<>> rooms_;  // guarded by mutex_
};

}  // namespace maejin::redis
