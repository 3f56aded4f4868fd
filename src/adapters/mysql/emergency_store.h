// The emergency controls in the database, with a copy in the memory of each node.
#pragma once

#include <map>
#include <mutex>

#include "adapters/mysql/pool.h"
#include "store/emergency_table.h"

namespace maejin::mysql {

class MysqlEmergencyStore final : public TabledEmergencyStore {
 public:
  // The pool outlives it. Call Refresh() before the first read.
  explicit MysqlEmergencyStore(Pool& pool) : pool_(pool) {}

  Task<Outcome<Done>> StartBypass(Bypass bypass, Operator actor) override;
  Task<Outcome<bool>> EndBypass(RoomId room, Operator actor) override;
  Task<Outcome<bool>> SetMaintenance(bool on, Operator actor) override;
  Task<Outcome<Stay>> LetIn(Stay stay) override;
  Task<Outcome<std::optional<Stay>>> FindStay(RoomId room, UserId user, Time now) override;
  Task<Outcome<bool>> EndStay(RoomId room, UserId user, std::optional<StayRevocation> revocation,
                              Time now) override;
  Task<Outcome<std::vector<Stay>>> EndedStays(RoomId room, Time now) override;
  Task<Outcome<Done>> ForgetRoom(RoomId room) override;
  Task<Outcome<Done>> ForgetUser(UserId user) override;
  void Prune(Time now) override;

  // Reads the controls of all nodes. Call about every second. Throws MysqlError.
  void Refresh(Connection& connection, Time now);

 private:
  using Key = std::pair<RoomId, UserId>;
  // A stay as read at `read_at`. A site asks the gate at every request of a fan, so a fresh stay is answered
  // without a query.
  struct Known {
    std::optional<Stay> stay;
    Time read_at{};
  };
  std::optional<Known> FindKnown(const Key& key) const;
  void Learn(const Key& key, std::optional<Stay> stay, Time now);

  Pool& pool_;
  mutable std::mutex mutex_;
  std::map<Key, Known> known_;  // guarded by mutex_
};

}  // namespace maejin::mysql
