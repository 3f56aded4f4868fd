#include "usecase/check_gate.h"

#include "usecase/bypass_room.h"

namespace maejin {
namespace {

struct ShownPlace {
  PlaceRef place;
  std::optional<Time> issued_at = {};  // only for a pass: a token has no time
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

Task<CheckGate::Decided> CheckGate::Decide(GateQuestion question, Time now) const {
  using Verdict = GateVerdict;
  using enum GateDecision;
  if (question.pass.empty() && question.token.empty()) co_return Decided{Verdict{kNoProof, "none"}};
  const auto shown = question.pass.empty() ? ByToken(context_.keys, question.token)
                                           : ByPass(context_.keys, *passes_, question.pass, now);
  if (!shown.ok()) co_return Decided{shown.error()};
  const auto& place = shown->place;
  if (!question.room.empty() && question.room != place.room)
    co_return Decided{Verdict{kNotInside, "other-room"}};
  if (question.user && *question.user != place.user) co_return Decided{Verdict{kNotInside, "other-user"}};
  const auto inside = co_await context_.store.Poll(place, now);
  if (!inside.ok() && inside.error() == Refusal::kUnavailable)
    co_return Decided{Verdict{kUnavailable, "unavailable"}, place};
  if (IsEntered(inside, now)) co_return Decided{Verdict{kPass, "ok"}, place};
  // The admission behind this pass was lost in a restore: the pass proves nothing any more.
  if (shown->issued_at && IsLost(context_.lost, *shown->issued_at))
    co_return Decided{Verdict{kNoProof, "invalid"}, place};
  co_return Decided{Verdict{kNotInside, "not-inside"}, place};
}

Task<GateVerdict> CheckGate::PassByBypass(RoomId room, Decided decided, Time now) const {
  if (decided.place) room = decided.place->room;
  const bool bypassed = context_.emergency->BypassAtOnce(room, now).has_value();
  const GateVerdict passes{GateDecision::kPass, "bypass", !decided.place};
  if (!decided.place) co_return bypassed ? passes : decided.verdict;
  const auto stay = co_await FindOrBeginStay(context_, *decided.place, now);
  // A bypassed room lets every visitor in, also while the database does not answer.
  if (stay.ok() ? stay->has_value() : bypassed) co_return passes;
  co_return decided.verdict;
}

Task<GateVerdict> CheckGate::operator()(GateQuestion question) const {
  const auto now = context_.clock.Now();
  const auto room = question.room.empty() ? RoomId(kMainRoom) : question.room;
  auto decided = co_await Decide(std::move(question), now);
  if (decided.verdict.decision == GateDecision::kPass || !MayBypass(context_, now)) co_return decided.verdict;
  co_return co_await PassByBypass(room, std::move(decided), now);
}

}  // namespace maejin
