#include "usecase/bypass_room.h"

namespace maejin {
namespace {

constexpr Millis kInsidePollInterval{10'000};

}  // namespace

bool MayBypass(const RoomContext& context, Time now) {
  return context.emergency != nullptr && context.emergency->InUse(now);
}

Task<Outcome<std::optional<Stay>>> FindOrBeginStay(RoomContext context, PlaceRef place, Time now) {
  std::optional<Stay> none;
  if (!MayBypass(context, now)) co_return none;
  auto& emergency = *context.emergency;
  auto found = co_await emergency.FindStay(place.room, place.user, now);
  const auto bypass = emergency.BypassAtOnce(place.room, now);
  if ((found.ok() && *found) || !bypass) co_return found;
  Stay stay{place.room, place.user, place.number, now, now + bypass->session_limit};
  auto begun = co_await emergency.LetIn(std::move(stay));
  if (!begun.ok()) co_return begun.error();
  co_return std::optional<Stay>(std::move(*begun));
}

PlaceAnswer InsideAnswer(const Stay& stay, const Outcome<PlaceAnswer>& known, Time now) {
  PlaceAnswer answer;
  if (known.ok()) answer = *known;
  auto& standing = answer.standing;
  if (standing.number == 0) standing.number = stay.number;
  standing.status = PlaceStatus::kEntered;
  standing.rank = 0;
  standing.eta.reset();
  standing.ends_at = stay.ends_at;
  standing.entered_at = stay.entered_at;
  standing.session_ends_at = stay.ends_at;
  Pace(standing, kInsidePollInterval, now);
  return answer;
}

Task<Outcome<PlaceAnswer>> SeenThroughBypass(RoomContext context, PlaceRef place, Outcome<PlaceAnswer> answer,
                                             Time now) {
  if (!MayBypass(context, now)) co_return answer;
  if (answer.ok() && answer->standing.status == PlaceStatus::kEntered) co_return answer;
  if (!answer.ok() && answer.error() == Refusal::kRoomNotFound) co_return answer;
  const auto bypass = context.emergency->BypassAtOnce(place.room, now);
  const auto stay = co_await context.emergency->FindStay(place.room, place.user, now);
  if (stay.ok() && *stay) co_return InsideAnswer(**stay, answer, now);
  if (!answer.ok() || !bypass) co_return answer;
  answer->standing.status = PlaceStatus::kReady;
  answer->standing.eta.reset();
  answer->standing.ends_at = bypass->ends_at;
  co_return answer;
}

Task<Outcome<Time>> BypassRoom::Start(RoomId room, std::int64_t minutes, std::string actor) const {
  const auto now = context_.clock.Now();
  const auto info = co_await context_.store.Read(room, now);
  // An operator can also bypass a room while the store of the rooms does not answer.
  if (!info.ok() && info.error() != Refusal::kUnavailable) co_return info.error();
  const auto limit = info.ok() ? info->settings.session_limit : DefaultSettings(room).session_limit;
  const Time ends_at = now + std::chrono::minutes(minutes);
  Bypass bypass{std::move(room), ends_at, limit};
  Operator acting_operator{std::move(actor), now};
  const auto started =
      co_await context_.emergency->StartBypass(std::move(bypass), std::move(acting_operator));
  if (!started.ok()) co_return started.error();
  co_return ends_at;
}

Task<Outcome<Done>> BypassRoom::End(RoomId room, std::string actor) const {
  const auto now = context_.clock.Now();
  const auto info = co_await context_.store.Read(room, now);
  if (!info.ok() && info.error() != Refusal::kUnavailable) co_return info.error();
  Operator acting_operator{std::move(actor), now};
  const auto ended = co_await context_.emergency->EndBypass(std::move(room), std::move(acting_operator));
  if (!ended.ok()) co_return ended.error();
  co_return Done{};
}

}  // namespace maejin
