// An operator starts a rehearsal on this node, reads its report, and cancels it.
#pragma once

#include <string>

#include "store/audit_store.h"
#include "store/rehearsal_runner.h"
#include "usecase/manage_concert.h"
#include "usecase/room_context.h"

namespace maejin {

// Thread-safe.
class ManageRehearsal {
 public:
  // All references outlive it.
  struct Dependencies {
    RehearsalRunner& runner;
    RoomContext rooms;
    ManageConcert& concerts;
    AuditStore& audit;
    const Clock& clock;
    bool real_money = false;  // payments go to a real provider
  };
  explicit ManageRehearsal(Dependencies deps) : deps_(deps) {}

  // `during_sale`: starts also while fans wait for a real sale or are inside. Refuses: kRealMoney,
  // kRehearsalRunning, kSaleRunning, kUnavailable.
  Task<Outcome<RehearsalStatus>> Start(RehearsalNumbers numbers, bool during_sale, std::string actor);
  // The rehearsal that runs, or the last one of this node.
  std::optional<RehearsalStatus> Read() const { return deps_.runner.Read(); }
  // Refuses: kNotFound (none runs), kUnavailable.
  Task<Outcome<Done>> Cancel(std::string actor);

 private:
  // "room 7: 41 waiting, 3 inside"; absent if no fan waits for a sale or is inside.
  std::optional<std::string> BusyRoom() const;
  Task<Outcome<Done>> Record(std::string action, std::string actor, std::string detail) const;
  // Cancels the concert that a rehearsal left on sale, and records the end. Refuses: kUnavailable.
  Task<Outcome<Done>> AfterEnd(RehearsalStatus ended) const;

  const Dependencies deps_;
};

}  // namespace maejin
