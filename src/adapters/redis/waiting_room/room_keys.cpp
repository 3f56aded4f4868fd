#include "adapters/redis/waiting_room/room_keys.h"

namespace maejin::redis {
namespace {

// Names of rooms whose keys would be keys of `main` or of another room: token:count:42, queue:waiting.
bool IsReserved(std::string_view room) {
  return room == "count" || room == "waiting" || room == "active" || room == "queue";
}

}  // namespace

RoomKeys::RoomKeys(std::string_view room, bool cluster) : main_(room == kMainRoom), cluster_(cluster) {
  // The required keys of `main` share a prefix, so that prefix is their hash tag.
  const std::string name = main_ ? "queue" : (IsReserved(room) ? "own:" : "") + std::string(room);
  id_ = cluster ? "{" + name + "}" : main_ ? std::string(kMainRoom) : name;
}

ScriptArguments RoomKeys::Arguments() const {
  const auto own = Room();
  ScriptArguments arguments;
  arguments.Key(own).Key(main_ ? own + ":queue" : "queue:" + id_).Key("token:count:" + id_);
  arguments.Key(main_ ? MainPrefix() + ":active" : own + ":active");
  arguments.Key(main_ ? MainPrefix() + ":waiting" : own + ":shown");
  for (const auto* part :
       {":skipped", ":slots", ":due", ":turns", ":places", ":flow", ":draws", ":joins", ":log", ":tokens",
        ":changes", ":line", ":skips", ":seen", ":before", ":nodes", ":before:merge"})
    arguments.Key(own + part);
  arguments.AppendRunId();
  return arguments;
}

ScriptArguments RoomKeys::ShowArguments(const std::vector<Shown>& fans, Time now) const {
  ScriptArguments arguments;
  arguments.Key(Places()).Key(Room() + ":tokens");
  arguments.Key(MainPrefix() + ":waiting").Key(MainPrefix() + ":active");
  arguments.Key(Room() + ":queue").Key(Room() + ":slots").Arg(ToMillis(now));
  for (const auto& fan : fans) arguments.Arg(fan.user).Arg(fan.number).Arg(fan.token);
  return arguments;
}

}  // namespace maejin::redis
