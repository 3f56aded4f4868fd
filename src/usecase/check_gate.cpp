#include "usecase/check_gate.h"

namespace maejin {
namespace {

using Shown = Result<PlaceRef, GateVerdict>;

Shown ByPass(const KeyRing& keys, PassCache& passes, std::string_view text, Time now) {
  const auto pass = passes.Read(keys, text, now);
  if (pass.ok()) return PlaceRef{(*pass)->room, (*pass)->user, (*pass)->number, (*pass)->epoch};
  return pass.error() == PassFault::kExpired ? GateVerdict{401, "expired"} : GateVerdict{401, "invalid"};
}

Shown ByToken(const KeyRing& keys, std::string_view text) {
  PlaceToken token;
  if (!token.Read(keys, text)) return GateVerdict{401, "invalid"};
  return ToPlaceRef(token.place());
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
  if (question.pass.empty() && question.token.empty()) co_return GateVerdict{401, "none"};
  const auto shown = question.pass.empty() ? ByToken(context_.keys, question.token)
                                           : ByPass(context_.keys, *passes_, question.pass, now);
  if (!shown.ok()) co_return shown.error();
  if (!question.room.empty() && question.room != shown->room) co_return GateVerdict{403, "other-room"};
  if (question.user && *question.user != shown->user) co_return GateVerdict{403, "other-user"};
  const auto inside = co_await context_.store.Poll(*shown, now);
  if (!inside.ok() && inside.error() == Refusal::kUnavailable) co_return GateVerdict{503, "unavailable"};
  if (!IsEntered(inside, now)) co_return GateVerdict{403, "not-inside"};
  co_return GateVerdict{204, "ok"};
}

}  // namespace maejin
