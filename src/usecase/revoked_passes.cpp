#include "usecase/revoked_passes.h"

#include <algorithm>

#include "domain/waiting_room/pass.h"
#include "usecase/bypass_room.h"

namespace maejin {

Task<Outcome<std::vector<std::string>>> RevokedPasses(RoomContext context, RoomId room) {
  const auto now = context.clock.Now();
  const auto revoked = co_await context.store.sites().Revocations(room, now);
  if (!revoked.ok()) co_return revoked.error();
  std::vector<std::string> ids;
  for (const auto& each : *revoked) ids.push_back(each.jti);
  if (!MayBypass(context, now)) co_return ids;
  const auto ended = co_await context.emergency->EndedStays(std::move(room), now);
  if (!ended.ok()) co_return ended.error();
  for (const auto& stay : *ended) ids.push_back(PassId(stay.room, stay.number, stay.entered_at));
  std::ranges::sort(ids);
  co_return ids;
}

}  // namespace maejin
