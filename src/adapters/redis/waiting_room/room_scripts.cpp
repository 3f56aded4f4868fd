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

Script WithBase(std::string_view body) { return Script(fmt::format("{}\n{}", scripts::room_base, body)); }
std::string Rules() { return fmt::format("{}\n{}", scripts::room_rules, scripts::room_deadlines); }
Script WithRoom(std::string_view body) {
  return WithBase(fmt::format("{}{}\n{}\n{}", Constants(), scripts::room, Rules(), body));
}

Script WithMirrors(std::string_view body) {
  return WithRoom(fmt::format("{}\n{}", scripts::room_mirrors, body));
}

// `usual` handles the usual requests, before the rules for the others are defined.
Script ForFans(std::string_view usual, std::string_view others) {
  return WithBase(fmt::format("{}{}\n{}\n{}\n{}\n{}\n{}", Constants(), scripts::room, scripts::room_together,
                              usual, Rules(), scripts::room_answer, others));
}

Script WithPutBack(std::string_view body) {
  return WithRoom(fmt::format("{}\n{}", scripts::room_put_back, body));
}

}  // namespace

const RoomScripts& RoomScripts::Get() {
  static const RoomScripts kScripts{ForFans(scripts::room_joins, scripts::room_ask),
                                    ForFans(scripts::room_enters, scripts::room_enter),
                                    WithRoom(scripts::room_end),
                                    WithMirrors(scripts::room_tick),
                                    WithMirrors(scripts::room_configure),
                                    WithPutBack(scripts::room_restore),
                                    WithMirrors(scripts::room_read),
                                    WithRoom(scripts::room_create),
                                    WithPutBack(scripts::room_epoch),
                                    WithRoom(scripts::room_unrecorded),
                                    Script(std::string(scripts::room_recorded)),
                                    WithBase(scripts::room_inside),
                                    WithBase(scripts::room_show),
                                    Script(std::string(scripts::room_seats)),
                                    WithRoom(scripts::room_delete)};
  return kScripts;
}

}  // namespace maejin::redis
