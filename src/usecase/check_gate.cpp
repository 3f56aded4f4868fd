#include "usecase/check_gate.h"

namespace maejin {
namespace {

struct ShownPlace {
  PlaceRef place;
  std::optional<Time> issued_at = {};  // of a pass; tokens have no time
};
using Shown = Result<ShownPlace, GateVerdict>;

Shown ByPass(const KeyRing& keys, PassCache& passes, std::string_view text, Time now) {
  const auto read = passes.Read(keys, text, now);
  if (read.ok()) {
    const auto& pass = **read;
    return ShownPlace{{pass.room, pass.user, pass.number, pass.epoch}, pass.entered_at};
  }
  return read.error() == PassFault::kExpired ? GateVerdict{GateDecision::kNoProof, "expired"}
                                             : GateVerdict{GateDecision::kNoProof, "invalid"};
}

Shown ByToken(const KeyRing& keys, std::string_view text) {
  PlaceToken token;
  if (!token.Read(keys, text)) return GateVerdict{GateDecision::kNoProof, "invalid"};
  return ShownPlace{ToPlaceRef(token.place())};
}

bool IsEntered(const Outcome<PlaceAnswer>& inside, Time now) {
  return inside.ok() && inside->standing.status == PlaceStatus::kEntered && now < *inside->standing.ends_at;
}

}  // namespace

bool CheckGate::AdmitsAtOnce(std::string_view room, std::string_view text) const {
  const auto now = context_.clock.Now();
  const auto pass = passes_->Find(context_.keys, text, now);
  if (!pass || pass->room != room) return false;
  const auto inside = context_.store.PollAtOnce({pass->room, pass->user, pass->number, pass->epoch}, now);
  return inside && IsEntered(*inside, now);
}

Task<GateVerdict> CheckGate::operator()(GateQuestion question) const {
  const auto now = context_.clock.Now();
  if (question.pass.empty() && question.token.empty()) co_return GateVerdict{GateDecision::kNoProof, "none"};
  const auto shown = question.pass.empty() ? ByToken(context_.keys, question.token)
                                           : ByPass(context_.keys, *passes_, question.pass, now);
  if (!shown.ok()) co_return shown.error();
  if (!question.room.empty() && question.room != shown->place.room)
    co_return GateVerdict{GateDecision::kNotInside, "other-room"};
  if (question.user && *question.user != shown->place.user)
    co_return GateVerdict{GateDecision::kNotInside, "other-user"};
  const auto inside = co_await context_.store.Poll(shown->place, now);
  if (!inside.ok() && inside.error() == Refusal::kUnavailable)
    co_return GateVerdict{GateDecision::kUnavailable, "unavailable"};
  if (!IsEntered(inside, now)) {
    // The admission behind this pass was lost in a restore: the pass proves nothing any more.
    if (shown->issued_at && IsLost(context_.lost, *shown->issued_at))
      co_return GateVerdict{GateDecision::kNoProof, "invalid"};
    co_return GateVerdict{GateDecision::kNotInside, "not-inside"};
  }
  co_return GateVerdict{GateDecision::kPass, "ok"};
}

}  // namespace maejin
