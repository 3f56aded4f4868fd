// RequireAdmission on top of the waiting room store. Refusals and threads as in require_admission.h.
#pragma once

#include "usecase/require_admission.h"
#include "usecase/room_context.h"

namespace maejin {

class RequireRoomAdmission final : public RequireAdmission {
 public:
  RequireRoomAdmission(WaitingRoomStore& store, const KeyRing& keys) : store_(store), keys_(keys) {}
  Task<Outcome<UserId>> operator()(AdmissionQuestion question, Time now) override;

 private:
  WaitingRoomStore& store_;
  const KeyRing& keys_;
};

}  // namespace maejin
