#include "adapters/redis/waiting_room/room_scripts.h"

#include <fmt/format.h>

#include "embedded/redis_scripts.h"

namespace maejin::redis {
namespace {

Script OfBase(std::string_view body) { return Script(fmt::format("{}\n{}", scripts::room_base, body)); }
Script OfRoom(std::string_view body) { return OfBase(fmt::format("{}\n{}", scripts::room, body)); }

}  // namespace

const RoomScripts& RoomScripts::Get() {
  static const RoomScripts kScripts{OfRoom(scripts::room_join),
                                    OfRoom(scripts::room_poll),
                                    OfRoom(scripts::room_polls),
                                    OfRoom(scripts::room_look),
                                    OfBase(scripts::room_inside),
                                    OfRoom(scripts::room_enter),
                                    OfRoom(scripts::room_enters),
                                    OfRoom(scripts::room_end),
                                    OfRoom(scripts::room_tick),
                                    OfRoom(scripts::room_read),
                                    OfRoom(scripts::room_create),
                                    OfRoom(scripts::room_configure),
                                    OfRoom(scripts::room_restore),
                                    OfRoom(scripts::room_epoch),
                                    OfRoom(scripts::room_notes),
                                    OfRoom(scripts::room_told),
                                    Script(std::string(scripts::room_logged)),
                                    OfBase(scripts::room_show)};
  return kScripts;
}

}  // namespace maejin::redis
