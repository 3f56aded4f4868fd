// What the database remembers of waiting rooms that lie elsewhere (in Redis), so that losing them loses
// nobody's turn: who was admitted, and what each room was set to. A used token stays used, a fan inside stays
// inside, and a room comes back as it was. Every call may wait for the disk or the network and refuses with
// kUnavailable. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "base/time.h"
#include "domain/refusal.h"
#include "domain/waiting_room/places.h"
#include "domain/words.h"

namespace maejin {

// One fan's time inside. Known by room, user and number: a room gives a number once in its life.
struct AdmissionRecord {
  RoomId room;
  UserId user;
  PlaceNumber number = 0;
  std::uint32_t epoch = 0;  // of the room when it happened
  Time entered_at;
  Time session_ends_at;               // the slot, and the pass, end then at the latest
  std::optional<Time> ended_at = {};  // left, paid, expired or revoked

  friend bool operator==(const AdmissionRecord&, const AdmissionRecord&) = default;
};

// What a room needs to come back.
struct RoomMemory {
  RoomId room;
  std::uint32_t epoch = 0;
  PlaceNumber last_number = 0;  // at least so many numbers were given
  std::string settings;         // as the room's store writes them; opaque here

  friend bool operator==(const RoomMemory&, const RoomMemory&) = default;
};

class AdmissionLog {
 public:
  virtual ~AdmissionLog() = default;

  // Durable when it returns. Of an admission that is known already only its end is taken over, and an end
  // once known stays. Refuses with kFencedEpoch, and records nothing, where a room was remembered with a later
  // epoch than that of somebody admitted; ends are recorded whatever their epoch.
  virtual Task<Outcome<Done>> Record(std::vector<AdmissionRecord> admissions) = 0;
  // Whoever was admitted with one of these numbers, in any order.
  virtual Task<Outcome<std::vector<AdmissionRecord>>> Admitted(RoomId room,
                                                               std::vector<PlaceNumber> numbers) = 0;
  // Absent: this place was never admitted.
  Task<Outcome<std::optional<AdmissionRecord>>> Find(RoomId room, UserId user, PlaceNumber number) {
    std::vector<PlaceNumber> numbers(1, number);
    auto admitted = co_await Admitted(std::move(room), std::move(numbers));
    if (!admitted.ok()) co_return admitted.error();
    std::optional<AdmissionRecord> found;
    for (auto& record : *admitted) {
      if (record.user == user) found = std::move(record);
    }
    co_return found;
  }
  // Who was admitted, has not ended, and whose session ends after `now`; ascending by number.
  virtual Task<Outcome<std::vector<AdmissionRecord>>> Inside(RoomId room, Time now) = 0;
  // Forgets the admissions whose session ended before `before`.
  virtual Task<Outcome<Done>> Forget(Time before) = 0;

  // Durable when it returns, and so is every admission of an earlier epoch that will ever be recorded. Epoch and
  // number never go back; the settings are those given last with the highest epoch.
  virtual Task<Outcome<Done>> RememberRoom(RoomMemory room) = 0;
  // Absent: never remembered.
  virtual Task<Outcome<std::optional<RoomMemory>>> Room(RoomId room) = 0;
};

}  // namespace maejin
