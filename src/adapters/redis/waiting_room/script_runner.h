// Runs a room's scripts and updates the mirror from their replies. If a script stops because the room is
// missing, has lost data, or a phase is due, the runner handles that first and retries.
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
  // The handlers for scripts that stop.
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

  // Runs the script. Afterwards the mirror has the changes of the reply.
  Task<Outcome<Reply>> Run(const Script* script, RoomId room, ScriptWords words, Time now);
  // Runs the due work of the room.
  Task<Outcome<TickReply>> Tick(RoomId room, Time now);
  // Reads the room and loads its mirror.
  Task<Outcome<Room*>> Read(RoomId room, Time now);
  // The room as this node knows it. Reads the room first if it is unknown, or if its version is not
  // `version`.
  Task<Outcome<Room*>> ReadIfUnknown(RoomId room, Time now, std::optional<std::int64_t> version = {});

  // The keys and the common arguments of the room's scripts.
  ScriptArguments Arguments(const RoomId& room, Time now) const;
  RoomKeys KeysOf(std::string_view room) const {
    return {room, client_.address().topology == Topology::kCluster};
  }

 private:
  Task<Outcome<Reply>> RunOnce(const Script* script, RoomId room, ScriptArguments arguments);
  // Handles the code of a script that stopped. Absent: the script did not stop.
  Task<std::optional<Outcome<Done>>> HandleStop(RoomCode code, RoomId room, Time now);

  Client& client_;
  Rooms& rooms_;
  const std::string node_;
  const Millis pause_after_;
  Steps steps_;
};

}  // namespace maejin::redis
