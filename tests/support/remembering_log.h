// An in-memory admission log for tests. Refuses everything on request.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <utility>

#include "store/admission_log.h"

namespace maejin::test {

class RememberingLog final : public AdmissionLog {
 public:
  void Refuse(bool refuse) {
    const std::lock_guard lock(mutex_);
    refuse_ = refuse;
  }

  Task<Outcome<Done>> Record(std::vector<AdmissionRecord> admissions) override {
    const std::lock_guard lock(mutex_);
    if (refuse_) co_return Refusal::kUnavailable;
    for (const auto& one : admissions) {
      if (!one.ended_at && rooms_[one.room].epoch > one.epoch) co_return Refusal::kFencedEpoch;
    }
    for (const auto& one : admissions) {
      auto& kept = records_.try_emplace({one.room, one.number, one.user}, one).first->second;
      if (!kept.ended_at) kept.ended_at = one.ended_at;
    }
    co_return Done{};
  }
  Task<Outcome<std::vector<AdmissionRecord>>> Admitted(RoomId room,
                                                       std::vector<PlaceNumber> numbers) override {
    const std::lock_guard lock(mutex_);
    ++asked_;
    if (refuse_) co_return Refusal::kUnavailable;
    const std::set<PlaceNumber> wanted(numbers.begin(), numbers.end());
    std::vector<AdmissionRecord> admitted;
    for (const auto& [key, record] : records_) {
      if (record.room == room && wanted.contains(record.number)) admitted.push_back(record);
    }
    for (const auto& [used_room, number] : used_) {
      if (used_room == room && wanted.contains(number)) admitted.push_back(PrunedAdmission(room, number));
    }
    co_return admitted;
  }
  Task<Outcome<std::vector<AdmissionRecord>>> Inside(RoomId room, Time now) override {
    const std::lock_guard lock(mutex_);
    if (refuse_) co_return Refusal::kUnavailable;
    std::vector<AdmissionRecord> inside;
    for (const auto& [key, record] : records_) {
      if (record.room == room && !record.ended_at && record.session_ends_at > now) inside.push_back(record);
    }
    co_return inside;
  }
  Task<Outcome<std::vector<AdmissionRecord>>> EndedEarly(RoomId room, Time now) override {
    const std::lock_guard lock(mutex_);
    if (refuse_) co_return Refusal::kUnavailable;
    std::vector<AdmissionRecord> ended;
    for (const auto& [key, record] : records_) {
      const bool early = record.ended_at && *record.ended_at < record.session_ends_at;
      if (record.room == room && early && record.session_ends_at > now) ended.push_back(record);
    }
    co_return ended;
  }
  Task<Outcome<PlaceNumber>> LastAdmitted(RoomId room) override {
    const std::lock_guard lock(mutex_);
    if (refuse_) co_return Refusal::kUnavailable;
    std::pair<Time, PlaceNumber> last;
    for (const auto& [key, record] : records_) {
      if (record.room == room) last = std::max(last, std::pair(record.entered_at, record.number));
    }
    co_return last.second;
  }
  Task<Outcome<Done>> Forget(Time before) override {
    const std::lock_guard lock(mutex_);
    if (refuse_) co_return Refusal::kUnavailable;
    std::erase_if(records_, [&](const auto& kept) {
      const auto& record = kept.second;
      if (record.session_ends_at >= before) return false;
      used_.emplace(record.room, record.number);
      return true;
    });
    co_return Done{};
  }
  // Loses all admissions and rooms.
  void Lose() {
    const std::lock_guard lock(mutex_);
    records_.clear();
    used_.clear();
    rooms_.clear();
  }
  Task<Outcome<Done>> SaveRoom(SavedRoom room) override {
    std::unique_lock lock(mutex_);
    if (refuse_) co_return Refusal::kUnavailable;
    auto& kept = rooms_[room.room];
    if (room.epoch < kept.epoch) co_return Refusal::kFencedEpoch;
    const auto number = std::max(kept.last_number, room.last_number);
    if (room.epoch > kept.epoch || room.version >= kept.version) kept = std::move(room);
    kept.last_number = number;
    const auto step = std::exchange(after_save_, {});
    lock.unlock();
    if (step) step();
    co_return Done{};
  }
  // Calls `step` once, after the next save.
  void AfterSave(std::function<void()> step) {
    const std::lock_guard lock(mutex_);
    after_save_ = std::move(step);
  }
  Task<Outcome<std::optional<SavedRoom>>> Room(RoomId room) override {
    const std::lock_guard lock(mutex_);
    if (refuse_) co_return Refusal::kUnavailable;
    const auto found = rooms_.find(room);
    if (found == rooms_.end() || found->second.epoch == 0) co_return std::optional<SavedRoom>{};
    co_return std::optional(found->second);
  }

  Task<Outcome<Done>> RecordPhase(RoomPhase phase) override {
    const std::lock_guard lock(mutex_);
    if (refuse_) co_return Refusal::kUnavailable;
    phases_.insert({phase.room, phase.epoch, phase.count, phase.state});
    co_return Done{};
  }

  // Every phase once, with its room, epoch and count.
  std::set<std::tuple<RoomId, std::uint32_t, std::int64_t, RoomState>> phases() const {
    const std::lock_guard lock(mutex_);
    return phases_;
  }
  std::size_t rooms() const {
    const std::lock_guard lock(mutex_);
    std::size_t count = 0;
    for (const auto& [name, room] : rooms_) count += room.epoch > 0 ? 1U : 0U;
    return count;
  }
  // The number of reads of admissions.
  int asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  std::size_t ended() const {
    const std::lock_guard lock(mutex_);
    std::size_t count = 0;
    for (const auto& [key, record] : records_) count += record.ended_at ? 1U : 0U;
    return count;
  }

 private:
  mutable std::mutex mutex_;
  bool refuse_ = false;
  std::function<void()> after_save_;
  int asked_ = 0;
  std::map<std::tuple<RoomId, PlaceNumber, UserId>, AdmissionRecord> records_;
  std::set<std::pair<RoomId, PlaceNumber>> used_;  // pruned admissions
  std::map<RoomId, SavedRoom> rooms_;
  std::set<std::tuple<RoomId, std::uint32_t, std::int64_t, RoomState>> phases_;
};

}  // namespace maejin::test
