// RequireAdmission on top of the waiting room store. Refusals and threads as in require_admission.h.
#pragma once

#include "usecase/require_admission.h"
#include "usecase/room_context.h"

namespace maejin {

class RequireRoomAdmission final : public RequireAdmission {
 public:
  explicit RequireRoomAdmission(RoomContext context) : context_(context) {}
  Task<Outcome<UserId>> operator()(AdmissionQuestion question, Time now) override;

 private:
  struct Asked {
    PlaceRef place;
    bool by_token = true;  // false: the user has no token of this room, which only a bypass accepts
  };
  Outcome<Asked> PlaceOf(const AdmissionQuestion& question, Time now) const;

  RoomContext context_;
};

}  // namespace maejin
