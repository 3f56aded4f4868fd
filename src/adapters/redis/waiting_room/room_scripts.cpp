#include "adapters/redis/waiting_room/room_scripts.h"

#include <fmt/format.h>

#include "adapters/redis/waiting_room/room_record.h"
#include "adapters/redis/waiting_room/signs_of_life.h"
#include "domain/waiting_room/poll_pacing.h"
#include "embedded/redis_scripts.h"

namespace maejin::redis {
namespace {

// The domain's constants under the names that the scripts use.
std::string Constants() {
  std::string distances;
  for (const auto& [below, poll_after] : pacing::kDistances)
    distances += fmt::format("{}, {}, ", below, poll_after.count());
  return fmt::format(
      "local PACES = {{{}}}\n"
      "local PACE = {{undrawn = {}, undrawn_least = {}, paused = {}, inside = {}, inside_least = {}}}\n"
      "local MISSED_POLLS, PER_ENTRY, SIGNS_PER_PAGE = {}, {}, {}\n"
      "local MERGE_WAIT = {}\n",
      distances, pacing::kUndrawn.count(), pacing::kUndrawnLeast.count(), pacing::kWhilePaused.count(),
      pacing::kInsideMost.count(), pacing::kInsideLeast.count(), pacing::kMissedPolls,
      pacing::kCreditPerEntry, SignsOfLife::kPerPage, RoomRecord::kMergeWait.count());
}

Script Of(std::initializer_list<std::string_view> parts) {
  return Script(fmt::format("{}\n", fmt::join(parts, "\n")));
}

}  // namespace

const RoomScripts& RoomScripts::Get() {
  using namespace scripts;
  const auto constants = Constants();
  const auto with_room = [&](auto... parts) {
    return Of({room_base, constants, room, room_rules, room_deadlines, parts...});
  };
  // `usual` handles the usual requests, before the rules for the others are defined.
  const auto for_fans = [&](std::string_view usual, std::string_view others) {
    return Of(
        {room_base, constants, room, room_together, usual, room_rules, room_deadlines, room_answer, others});
  };
  static const RoomScripts kScripts{for_fans(room_joins, room_ask),
                                    for_fans(room_enters, room_enter),
                                    with_room(room_end),
                                    with_room(room_mirrors, room_tick),
                                    with_room(room_mirrors, room_settings, room_configure),
                                    with_room(room_put_back, room_restore),
                                    with_room(room_mirrors, room_read),
                                    with_room(room_create),
                                    with_room(room_put_back, room_mirrors, room_settings, room_epoch),
                                    with_room(room_unrecorded),
                                    Of({room_base, room_inside}),
                                    Of({room_base, room_show}),
                                    Of({room_seats}),
                                    with_room(room_delete)};
  return kScripts;
}

}  // namespace maejin::redis
