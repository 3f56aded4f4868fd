// Requests of fans that Redis decides, in batches: joining, entering, ends, and polls that the mirror does
// not answer.
#pragma once

#include <functional>
#include <optional>

#include "adapters/redis/waiting_room/batches.h"
#include "adapters/redis/waiting_room/recovery.h"

namespace maejin::redis {

// Thread-safe.
class Fans {
 public:
  using TokenOf = std::function<std::string(const PlaceView&)>;
  // All outlive it. `window`: of batches. `token_of`: for readers of `main`; absent: they are shown nothing.
  Fans(Client& client, Rooms& rooms, ScriptRunner& runner, AdmissionRecorder& recorder, Recovery& recovery,
       Millis window, TokenOf token_of);

  // Answers the request. A place that was lost is put back first; while Redis is away, polls are answered by
  // the mirror and the database.
  Task<void> Ask(FanRequest* request, Time now);
  // After a loss, of a request that was answered: a place that came back with older data may have been used
  // since. Then it ends, and the answer is kNotQueued.
  Task<void> CheckUnused(FanRequest* request, Time now);
  // A fan who is plainly inside; absent: Ask() must decide.
  Task<Outcome<std::optional<PlaceAnswer>>> FindInside(PlaceRef place, Time now);
  // Ends a place, or only a slot. False: there was none.
  Task<Outcome<bool>> End(PlaceRef place, Ending ending, bool only_inside, Time now);

 private:
  Batches::Run Bind(Task<void> (Fans::*run)(RoomId, FanRequests, Time));
  Task<void> RunAsk(RoomId room, FanRequests requests, Time now);
  Task<void> RunEnter(RoomId room, FanRequests requests, Time now);
  Task<void> RunRestore(RoomId room, FanRequests requests, Time now);
  Task<void> RunCheck(RoomId room, FanRequests requests, Time now);
  // Of requests that found Redis away; a join, an entry and a poll without a number stay refused.
  Task<void> AnswerAway(RoomId room, FanRequests requests, Time now);
  Task<Outcome<Room*>> Believe(RoomId room, FanRequests requests, Time now);
  Task<Outcome<EndReply>> RunEnd(PlaceRef place, ScriptWords more, Time now);
  // Writes the answers and what readers of `main` do not see yet. Returns the admissions to be recorded.
  Task<std::vector<AdmissionRecord>> Answer(Room* room, FanRequests requests, std::vector<FanReply> fans,
                                            Time now);

  Client& client_;
  Rooms& rooms_;
  ScriptRunner& runner_;
  AdmissionRecorder& recorder_;
  Recovery& recovery_;
  const TokenOf token_of_;
  Batches asks_;
  Batches enters_;
  Batches restores_;
  Batches checks_;
};

}  // namespace maejin::redis
