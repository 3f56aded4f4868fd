#include "usecase/erase_user.h"

#include "base/ids.h"
#include "usecase/masked_user.h"

namespace maejin {
namespace {

constexpr std::size_t kUsersAtOnce = 200;

}  // namespace

Task<Outcome<std::int64_t>> EraseUser::operator()(UserId user, std::string actor) {
  const auto now = parts_.clock.Now();
  // Places end before reservations are erased: otherwise the person's token could make a new reservation.
  for (const auto& room : parts_.rooms.Rooms()) {
    PlaceRef place{room, user, 0, 0};
    const auto left = co_await parts_.rooms.Leave(std::move(place), now);
    if (!left && left.error() == Refusal::kUnavailable) co_return left.error();
    // A later record would name the person again.
    const auto recorded = co_await parts_.rooms.RecordAdmissions(room, now);
    if (!recorded && recorded.error() == Refusal::kUnavailable) co_return recorded.error();
  }
  const auto forgotten = co_await parts_.emergency.ForgetUser(user);
  if (!forgotten) co_return forgotten.error();
  Erasure erasure{user, std::string(kErasedPrefix) + Id128::Random(parts_.random).ToString(),
                  MaskedUser(parts_.keys, user)};
  Operator acting_operator{std::move(actor), now};
  co_return co_await parts_.persons.Erase(std::move(erasure), std::move(acting_operator));
}

Task<Outcome<std::int64_t>> EraseUser::Past(std::chrono::days kept) {
  const auto now = parts_.clock.Now();
  Operator acting_operator{"retention", now};
  co_return co_await parts_.persons.ErasePast(now - kept, kUsersAtOnce, std::move(acting_operator));
}

}  // namespace maejin
