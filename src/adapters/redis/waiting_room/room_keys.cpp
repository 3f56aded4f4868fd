#include "adapters/redis/waiting_room/room_keys.h"

#include "domain/words.h"

namespace maejin::redis {

RoomKeys::RoomKeys(std::string_view room, bool cluster) : main_(room == kMainRoom), cluster_(cluster) {
  // The keys of `main` have the seed's prefix in common, so that is their tag.
  const std::string name = main_ ? "queue" : std::string(room);
  id_ = cluster ? "{" + name + "}" : main_ ? std::string(kMainRoom) : name;
}

ScriptArguments RoomKeys::Arguments(const std::vector<UserId>& users) const {
  const auto own = "room:" + id_;
  ScriptArguments arguments;
  arguments.Key(own).Key(main_ ? own + ":queue" : "queue:" + id_).Key(own + ":skipped").Key(own + ":slots");
  arguments.Key(own + ":due").Key(own + ":turns").Key(own + ":places").Key("token:count:" + id_);
  arguments.Key(main_ ? MainPrefix() + ":active" : own + ":active").Key(own + ":flow").Key(own + ":draws");
  arguments.Key(own + ":joins").Key(Log());
  arguments.Key(main_ ? MainPrefix() + ":waiting" : own + ":shown").Key(own + ":tokens");
  auto token = Token("");
  const auto of_all = token.size();
  for (const auto& user : users) {
    token.resize(of_all);
    arguments.Key(token += user);
  }
  arguments.TellServer();
  return arguments;
}

ScriptArguments RoomKeys::InsideArguments(std::string_view user, PlaceNumber number) const {
  const auto own = "room:" + id_;
  ScriptArguments arguments;
  arguments.Key(own).Key(own + ":places").Arg(user).Arg(number).TellServer();
  return arguments;
}

ScriptArguments RoomKeys::ShowArguments(const std::vector<Shown>& fans, Millis ttl) const {
  const auto own = "room:" + id_;
  ScriptArguments arguments;
  arguments.Key(own + ":places")
      .Key(own + ":tokens")
      .Key(MainPrefix() + ":waiting")
      .Key(MainPrefix() + ":active");
  for (const auto& fan : fans) arguments.Key(QueueUser(fan.user)).Key(QueueToken(fan.token));
  arguments.Arg(ttl.count());
  for (const auto& fan : fans) arguments.Arg(fan.user).Arg(fan.token);
  return arguments;
}

}  // namespace maejin::redis
