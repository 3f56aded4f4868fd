// The emergency controls in force, in memory: both stores answer at once from this table. Thread-safe.
#pragma once

#include <atomic>
#include <map>
#include <shared_mutex>

#include "store/emergency_store.h"

namespace maejin {

class EmergencyTable {
 public:
  struct Controls {
    std::map<RoomId, Bypass, std::less<>> bypasses;
    std::optional<Time> maintenance_since;
    // One end for each stay of a room, ascending. After a read from MariaDB, every stay of a room has the
    // last end of that room's stays.
    std::map<RoomId, std::vector<Time>, std::less<>> stay_ends;
    // The latest `ends_at` of all stays. A stay that ended early counts, too: until its `ends_at` its pass
    // must be listed as revoked.
    Time stays_until{};
  };

  bool InUse(Time now) const { return ToMillis(now) < in_use_until_.load(std::memory_order_relaxed); }
  std::optional<Bypass> FindBypass(std::string_view room, Time now) const;
  std::optional<Time> maintenance_since() const;
  std::uint32_t CountStays(std::string_view room, Time now) const;

  void PutBypass(Bypass bypass);
  // False: none was in force.
  bool EraseBypass(std::string_view room, Time now);
  void SetMaintenance(std::optional<Time> since);
  void AddStay(std::string_view room, Time ends_at);
  void RemoveStay(std::string_view room, Time ends_at);
  // Moves Controls::stays_until for a stay that ended early.
  void AddEnded(Time ends_at);
  void ForgetRoom(std::string_view room);
  // Removes bypasses and stays whose end has passed. False: there were none.
  bool Prune(Time now);

  // Changes with every change of the table.
  std::uint64_t version() const;
  // Replaces the table with controls from the database. `version`: version() before that read. If the table
  // has changed since, nothing happens: the next read has the change.
  void Replace(Controls controls, std::uint64_t version);

 private:
  // Call with mutex_ held.
  void Changed();

  mutable std::shared_mutex mutex_;
  Controls controls_;          // guarded by mutex_
  std::uint64_t version_ = 0;  // guarded by mutex_
  // In milliseconds. Polls read it, so they do not lock while no control is in force.
  std::atomic<std::int64_t> in_use_until_{0};
};

// The functions that every store answers from its table, without waiting.
class TabledEmergencyStore : public EmergencyStore {
 public:
  bool InUse(Time now) const final { return table_.InUse(now); }
  std::optional<Bypass> BypassAtOnce(std::string_view room, Time now) const final {
    return table_.FindBypass(room, now);
  }
  std::optional<Time> MaintenanceAtOnce() const final { return table_.maintenance_since(); }
  std::uint32_t CountStays(std::string_view room, Time now) const final {
    return table_.CountStays(room, now);
  }

 protected:
  EmergencyTable table_;
};

}  // namespace maejin
