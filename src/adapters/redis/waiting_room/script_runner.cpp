#include "adapters/redis/waiting_room/script_runner.h"

#include "adapters/redis/waiting_room/room_scripts.h"
#include "base/log.h"

namespace maejin::redis {
namespace {

// The maximum number of attempts to run a script. Between attempts the runner creates or recovers the room,
// or changes its phase.
constexpr int kMostSteps = 6;

}  // namespace

ScriptArguments ScriptRunner::Arguments(const RoomId& name, Time now) const {
  const auto* room = rooms_.Find(name);
  const auto known = room ? room->known() : Room::Knowledge();
  auto arguments = KeysOf(name).Arguments();
  arguments.Arg(ToMillis(now)).Arg(pause_after_.count());
  arguments.Arg(known.epoch).Arg(known.changes).Arg(known.highest).Arg(known.mirror_at);
  return arguments;
}

Task<Outcome<Reply>> ScriptRunner::RunOnce(const Script* script, RoomId room, ScriptArguments arguments) {
  auto reply = co_await client_.Eval(*script, std::move(arguments));
  if (reply) co_return std::move(*reply);
  if (reply.error().kind == RedisError::Kind::kRefused)
    LogError("redis: room {}: {}", room, reply.error().text);
  co_return Refusal::kUnavailable;
}

Task<std::optional<Outcome<Done>>> ScriptRunner::HandleStop(RoomCode code, RoomId room, Time now) {
  const Step* step = nullptr;
  if (code == RoomCode::kNoRoom) step = &steps_.create;
  if (code == RoomCode::kGoneBack) step = &steps_.recover;
  if (code == RoomCode::kPhaseDue) step = &steps_.step_phases;
  if (step == nullptr) co_return std::nullopt;
  auto done = co_await (*step)(std::move(room), now);
  co_return done;
}

Task<Outcome<Reply>> ScriptRunner::Run(const Script* script, RoomId name, ScriptWords words, Time now) {
  Outcome<Reply> reply = Refusal::kUnavailable;
  for (int attempt = 0; attempt < kMostSteps; ++attempt) {
    auto arguments = Arguments(name, now);
    for (const auto& word : words) arguments.Arg(word);
    reply = co_await RunOnce(script, name, std::move(arguments));
    if (!reply.ok()) break;
    const auto code = CodeOf(*reply);
    const auto seen_to = co_await HandleStop(code, name, now);
    if (!seen_to) {
      auto* room = rooms_.Find(name);
      if (code != RoomCode::kDone || (room && room->Follow(DecodeHead(*reply), now))) co_return reply;
      const auto read = co_await Read(name, now);
      if (!read.ok()) co_return read.error();
      co_return reply;
    }
    reply = Refusal::kUnavailable;
    if (!seen_to->ok()) {
      reply = seen_to->error();
      break;
    }
  }
  if (auto* room = rooms_.Find(name); room && reply.error() == Refusal::kUnavailable) room->SetAway(now);
  co_return reply;
}

Task<Outcome<TickReply>> ScriptRunner::Tick(RoomId name, Time now) {
  const ScriptWords words(1, node_);
  auto reply = co_await Run(&RoomScripts::Get().tick, std::move(name), words, now);
  if (!reply.ok()) co_return reply.error();
  co_return DecodeTick(*reply);
}

Task<Outcome<Room*>> ScriptRunner::Read(RoomId name, Time now) {
  Room::LineBefore before;
  for (int attempt = 0; attempt < kMostSteps; ++attempt) {
    auto arguments = Arguments(name, now);
    arguments.Arg(node_).Arg(before.nodes).Arg(before.bits.range).Arg(before.bits.bytes);
    auto reply = co_await RunOnce(&RoomScripts::Get().read, name, std::move(arguments));
    if (!reply.ok()) co_return reply.error();
    const auto seen_to = co_await HandleStop(CodeOf(*reply), name, now);
    if (seen_to && !seen_to->ok()) co_return seen_to->error();
    if (seen_to) continue;
    auto record = DecodeRecord(name, *reply);
    if (!record) co_return Refusal::kUnavailable;
    auto& room = rooms_.Add(name);
    if (room.Load(std::move(*record), before, now)) co_return &room;
  }
  co_return Refusal::kUnavailable;
}

Task<Outcome<Room*>> ScriptRunner::ReadIfUnknown(RoomId name, Time now, std::optional<std::int64_t> version) {
  auto* room = rooms_.Find(name);
  const auto record = room ? room->record() : nullptr;
  if (record && room->known().mirror_at >= 0 && (!version || record->version == *version)) co_return room;
  auto read = co_await Read(std::move(name), now);
  co_return read;
}

}  // namespace maejin::redis
