// Runs a room's scripts and lets the room's mirror follow their replies. Where a script stops because the
// room is missing, has forgotten something, or a phase is due, that is seen to first.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "adapters/redis/client/client.h"
#include "adapters/redis/waiting_room/room.h"
#include "adapters/redis/waiting_room/room_keys.h"

namespace maejin::redis {

using ScriptWords = std::vector<std::string>;

// Thread-safe.
class ScriptRunner {
 public:
  using Step = std::function<Task<Outcome<Done>>(RoomId room, Time now)>;
  // What is done where a script stops.
  struct Steps {
    Step create;
    Step recover;
    Step step_phases;
  };
  // Client and rooms outlive it. `pause_after`: WaitingRoomStoreOptions.
  // `node`: names this node among those that mirror a room.
  ScriptRunner(Client& client, Rooms& rooms, std::string node, Millis pause_after)
      : client_(client), rooms_(rooms), node_(std::move(node)), pause_after_(pause_after) {}
  void set_steps(Steps steps) { steps_ = std::move(steps); }

  // With the tokens of all these users among the keys. The mirror has followed when it returns.
  Task<Outcome<Reply>> Run(const Script* script, RoomId room, std::vector<UserId> users, ScriptWords words,
                           Time now);
  // Does what is due in the room.
  Task<Outcome<TickReply>> Tick(RoomId room, Time now);
  // Reads the room and loads its mirror.
  Task<Outcome<Room*>> Read(RoomId room, Time now);
  // The room as it is known, read where it is not, or where another version is meant.
  Task<Outcome<Room*>> Know(RoomId room, Time now, std::optional<std::int64_t> version = {});
  // Reads settings and numbers of a room that is not recovered yet.
  Task<Outcome<Room*>> ReadUnrecovered(RoomId room, Time now);

  // The keys of the room, and what all its scripts are told.
  ScriptArguments Arguments(const RoomId& room, const std::vector<UserId>& users, Time now) const;
  RoomKeys KeysOf(std::string_view room) const {
    return {room, client_.address().topology == Topology::kCluster};
  }

 private:
  Task<Outcome<Reply>> RunOnce(const Script* script, RoomId room, ScriptArguments arguments);
  // Absent: the code is no reason to stop.
  Task<std::optional<Outcome<Done>>> SeeTo(RoomCode code, RoomId room, Time now);

  Client& client_;
  Rooms& rooms_;
  const std::string node_;
  const Millis pause_after_;
  Steps steps_;
};

}  // namespace maejin::redis
