// The waiting rooms of many nodes, in Redis or Valkey: every transition is one Lua script
// (scripts/room_*.lua), decided as domain/waiting_room/waiting_room.h decides. A node keeps nothing but a copy of each
// room's settings, told by their version.
//
// Redis may be lost: a place is a signed token, and the database remembers rooms and admissions. Every node knows
// how much has happened in a room; a room that is gone, or knows of less, was lost. Then its epoch rises, its
// settings and the fans inside come back from the database, nobody is admitted for a while, and a fan who polls
// with a token of before is put back at the same number, unless the database says it was used
// (waiting_room_recovery.cpp). While Redis does not answer, a fan is told what this node told it a moment ago, those inside
// stay inside by the database, and nobody joins or enters.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "adapters/redis/client/client.h"
#include "adapters/redis/client/errands.h"
#include "adapters/redis/waiting_room/poll_batches.h"
#include "adapters/redis/waiting_room/room_codec.h"
#include "adapters/redis/waiting_room/room_keys.h"
#include "adapters/redis/waiting_room/told_ranks.h"
#include "base/random.h"
#include "store/admission_log.h"
#include "store/waiting_room_store.h"

namespace maejin::redis {

struct WaitingRoomStoreOptions {
  // Where no call and no tick of any node came for so long, nobody could poll: everybody counts as seen when
  // it goes on. 0: time may jump (tests).
  Millis pause_after{0};
  // After Redis lost its memory, so long nobody is admitted.
  Millis hold_after_loss{5000};
  // So long fans of one moment wait for each other, where many come. 0: for nobody (tests).
  Millis gather{5};
  // Where admissions and rooms are remembered; outlives the store. Absent: they are lost with Redis.
  AdmissionLog* admissions = nullptr;
  // Writes the seed's queue:token and queue:user of the room `main`; absent: they are not written.
  std::function<std::string(const PlaceView&)> token_of = {};
  // The operators' actions, for the audit.
  std::function<void(Time at, const std::string& actor, const std::string& action, const RoomId& room,
                     const std::string& detail)>
      audit = {};
  // Seats left of a concert, for seat:count; absent: not a concert's room, or not known.
  std::function<std::optional<std::int64_t>(const RoomId&)> seats_left = {};
};

// The epoch of a room that begins now: later beginnings have higher ones.
inline std::uint32_t EpochOf(Time now) { return static_cast<std::uint32_t>(ToMillis(now) / 1000); }

class WaitingRoomStore final : public maejin::WaitingRoomStore {
 public:
  // Client and random outlive the store.
  WaitingRoomStore(Client& client, Random& random, WaitingRoomStoreOptions options);
  // Waits for a tick that runs.
  ~WaitingRoomStore() override;

  Task<Outcome<Done>> EnsureRoom(RoomId room, Time now) override;
  Task<Outcome<PlaceAnswer>> Join(JoinRequest request, Time now) override;
  Task<Outcome<PlaceAnswer>> Poll(PlaceRef place, Time now) override;
  // Redis must be asked.
  bool AnswersAtOnce() const override { return false; }
  std::optional<Outcome<PlaceAnswer>> PollAtOnce(const PlaceView& place, Time now) override;
  std::optional<Outcome<PlaceAnswer>> LookAtOnce(const PlaceView& place, Time now) override;
  Task<Outcome<PlaceAnswer>> Enter(PlaceRef place, Time now) override;
  Task<Outcome<Done>> Leave(PlaceRef place, Time now) override;
  Task<Outcome<Done>> ReleaseAfterPayment(RoomId room, UserId user, Time now) override;
  Task<Outcome<PlaceAnswer>> CheckInside(PlaceRef place, Time now) override;
  Task<Outcome<Done>> Revoke(RoomId room, UserId user, std::string actor, Time now) override;
  Task<Outcome<RoomInfo>> Configure(RoomId room, RoomPatch patch, std::string actor, Time now) override;
  Task<Outcome<RoomInfo>> Read(RoomId room, Time now) override;
  Task<Outcome<Serving>> ReadServing(RoomId room, Time now) override;
  std::optional<Outcome<Serving>> ServingAtOnce(std::string_view room, Time now) override;
  std::vector<RoomId> Rooms() const override;
  void Tick(Time now) override;

 private:
  // What a node has seen of a room, and Redis must not forget. Only grows.
  struct Witness {
    std::atomic<PlaceNumber> highest{0};
    std::atomic<std::uint64_t> happened{0};  // epoch and changes, half and half
    ToldRanks told;
    AgreedRanks agreed;
    std::atomic<std::uint32_t> moved_to{0};  // another Redis serves the room at this epoch, by the database,
    std::atomic<std::int64_t> moved_at{0};   // as was noticed at this time; milliseconds
    std::atomic<bool> recovering{false};     // by this node

    void Saw(PlaceNumber number);
    void Saw(std::uint32_t epoch, std::uint32_t changes);
    std::uint32_t epoch() const { return static_cast<std::uint32_t>(happened.load() >> 32); }
    std::uint32_t changes() const { return static_cast<std::uint32_t>(happened.load()); }
  };
  // What a node knows of a room. Replaced as a whole, never changed, but for the witness.
  struct Known {
    RoomInfo info;
    std::shared_ptr<Witness> witness = std::make_shared<Witness>();
    std::int64_t version = 0;
    PlaceNumber lost_number = 0;  // as in RoomRecord
    std::uint32_t lost_waiting = 0;
    Time lost_at{};
    std::string server;
    std::shared_ptr<const std::string> notice;
    Outflow outflow;
  };
  using KnownPtr = std::shared_ptr<const Known>;
  struct Watch {
    Time tick_at{};
    Time refresh_at{};
    std::string remembered;  // of the room, by the database
    Time told_of{};          // the last loss of which this node told its ranks
  };

  KnownPtr Find(const RoomId& room) const;
  void Remember(RoomRecord record);
  RoomKeys KeysOf(const RoomId& room) const {
    return {room, client_.address().topology == Topology::kCluster};
  }

  // Runs one of the room's scripts. Where the room is missing but should not be, or a phase is due, that is
  // done first.
  using ScriptWords = std::vector<std::string>;
  Task<Outcome<Reply>> Run(const Script* script, RoomId room, UserId user, ScriptWords words, Time now) {
    std::vector<UserId> users;
    users.push_back(std::move(user));
    return RunForMany(script, std::move(room), std::move(users), std::move(words), now);
  }
  // With the tokens of all these users among the keys.
  Task<Outcome<Reply>> RunForMany(const Script* script, RoomId room, std::vector<UserId> users,
                                  ScriptWords words, Time now);
  // What this node knows to have happened in the room: epoch, changes, highest number.
  ScriptWords Happened(const RoomId& room) const;
  static void Believe(const Known& known, const PlaceRef& place);
  Task<Outcome<PlaceAnswer>> JoinOnce(const JoinRequest* request, Time now);
  Task<Outcome<Reply>> RunForToken(const Script* script, PlaceRef place, ScriptWords more, Time now);
  Task<Outcome<PlaceAnswer>> RunForPlace(const Script* script, PlaceRef place, Time now);
  Task<Outcome<PlaceAnswer>> Answer(RoomId room, Reply reply, Time now);
  // Absent: not plainly inside.
  Task<Outcome<std::optional<PlaceAnswer>>> LookInside(PlaceRef place, Time now);
  Task<Outcome<bool>> End(PlaceRef place, bool only_inside, Time now);
  Task<Outcome<Done>> Create(RoomId room, Time now);
  Task<Outcome<KnownPtr>> Refresh(RoomId room, Time now);
  // As this node knows the room; asked for where it does not, or knows another version than the one named.
  Task<Outcome<KnownPtr>> Knowing(RoomId room, Time now, std::optional<std::int64_t> version = {});
  Task<Outcome<Done>> StepPhases(RoomId room, Time now);
  struct Change {
    RoomSettings settings;
    RoomState state;
  };
  // False: the room has changed meanwhile, decide again.
  Task<Outcome<bool>> Write(KnownPtr before, Change change, Time now);
  // Many fans in one script (room_polls.lua, room_enters.lua).
  struct Told {
    KnownPtr known;
    std::uint32_t epoch = 0;
    Reply reply;
  };
  ScriptWords ClaimsOf(const RoomId& room, const SignsOfLife& signs) const;
  Task<Outcome<Told>> AskForMany(const Script* script, RoomId room, std::vector<UserId> users,
                                 ScriptWords words, Time now);
  // `turn_ends`: the fan is ready.
  static PlaceAnswer AnswerOf(const Told& told, std::uint32_t place, PlaceNumber number,
                              std::optional<Time> turn_ends, Time now);
  // Of those who ask for the same at one moment.
  PollBatches::Ask Together(Task<void> (WaitingRoomStore::*ask)(RoomId, SignsOfLife, Time));
  Task<void> PollMany(RoomId room, SignsOfLife signs, Time now);
  Task<void> PollTogether(RoomId room, SignsOfLife signs, Time now);
  // Those whose places were lost are put back first.
  Task<void> ReturnMany(RoomId room, SignsOfLife signs, Time now);
  Task<void> EnterMany(RoomId room, SignsOfLife signs, Time now);
  // A rank that does not rise: after a loss, `admitted` since then, as room.lua says it (settled).
  static std::optional<std::uint32_t> Steady(const Known& known, const PlaceAnswer& answer,
                                             std::uint32_t rank, std::int64_t admitted, Time now);
  Task<void> AgreeOnRanks(RoomId room, Time now);
  ScriptArguments RanksArguments(const Known& known, Time now) const;
  Task<void> ReadRanks(KnownPtr known);
  static void Complete(const Known& known, PlaceAnswer& answer, Time now);
  // All of one room; of another than `main` nothing is shown.
  void ShowMain(const std::vector<PlaceView>& places);

  // Recovery.
  // Fans of before the last loss may still come back.
  bool Settling(const RoomId& room, Time now) const;
  // It has a token of before a loss, and is not there.
  bool MayReturn(const SignOfLife& sign, Time now) const;
  static std::uint32_t WaitingAtMost(const Known& known);
  // What room_epoch.lua says of a room that may have forgotten something.
  struct Loss {
    std::uint32_t epoch = 0;
    std::string server_before;
    std::string server;
    std::vector<std::pair<UserId, PlaceNumber>> inside;
  };
  ScriptArguments RecoveryArguments(const Known& known, Time now) const;
  Task<Outcome<Done>> Recover(RoomId room, Time now);
  Task<Outcome<std::optional<Loss>>> Examine(KnownPtr known, Time now);
  Task<Outcome<std::uint32_t>> Fence(KnownPtr known, Loss loss, Time now);
  Task<Outcome<ScriptWords>> InsideByTheDatabase(RoomId room, Loss loss, Time now);
  Task<Outcome<Done>> Restart(KnownPtr known, Loss loss, Time now);
  Task<Outcome<std::optional<RoomMemory>>> MemoryOf(RoomId room);
  // After a loss, of those who were told something good: a place that came back with older data may have been used since. Then
  // it ends, and the fan is told kNotQueued.
  Task<void> CheckUnused(RoomId room, SignsOfLife signs, Time now);
  using Admissions = std::map<std::pair<UserId, PlaceNumber>, AdmissionRecord>;
  Task<Outcome<Admissions>> AdmissionsOf(RoomId room, std::vector<PlaceNumber> numbers);
  // Fans whose places were lost. Returns how many of them are worth asking for again; a used one, or one of too long ago, is not.
  Task<Outcome<std::int64_t>> PutBack(RoomId room, std::vector<PlaceRef> places, Time now);
  Task<std::optional<RoomBeginning>> RememberedRoom(RoomId room);
  static AdmissionRecord AdmissionOf(const PlaceRef& place, const PlaceAnswer& answer);
  // Of the room's log.
  struct Notes {
    std::vector<AdmissionRecord> records;
    std::vector<std::string> texts;
  };
  Task<Outcome<Notes>> NotesOf(RoomId room, Time now);
  void ForgetNotes(const RoomId& room, const std::vector<std::string>& texts);
  Task<Outcome<Done>> Record(RoomId room, std::vector<AdmissionRecord> records);
  // What has to be written before these.
  enum class Before : std::uint8_t { kTheLog, kNothing };
  Task<Outcome<Done>> WriteDown(RoomId room, std::vector<AdmissionRecord> records, Time now,
                                Before before = Before::kTheLog);
  Task<Outcome<Done>> RecordAdmission(PlaceRef place, PlaceAnswer answer, Time now);
  Task<void> RecordEnd(PlaceRef place, PlaceNumber number, Time now);
  static PlaceAnswer WithoutRedis(const Known& known, const PlaceRef& place, const AdmissionRecord* admission,
                                  Time now);
  // Of fans of one room those whom Redis could not be asked for; who names no place stays refused.
  Task<void> TellWithoutRedis(RoomId room, SignsOfLife signs, Time now);
  Task<void> DrainLog(RoomId room, Time now);
  Task<void> RememberRoom(RoomId room);

  Task<void> TickAll(Time now);
  Task<void> TickRoom(RoomId room, Time now);
  Task<void> LearnRooms();

  Client& client_;
  Random& random_;
  const WaitingRoomStoreOptions options_;
  mutable std::shared_mutex mutex_;
  std::unordered_map<RoomId, KnownPtr> rooms_;  // guarded by mutex_
  std::unordered_map<RoomId, Watch> watches_;   // the ticking coroutine only
  Time learn_at_{};                             // the ticking coroutine only
  Time forget_at_{};                            // the ticking coroutine only
  std::atomic<bool> log_answers_{true};         // false: the database did not take the last admissions
  PollBatches polls_;
  PollBatches returns_;
  PollBatches enters_;
  PollBatches checks_;
  Errands errands_;
};

}  // namespace maejin::redis
