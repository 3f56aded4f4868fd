// Requests of fans that Redis decides, in batches: join, enter, end, and polls that the mirror cannot answer.
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
  // All objects given by reference outlive this one. `window`: the batching window. `token_of`: makes the
  // tokens that other programs read in Redis, for the room `main`; absent: none are written.
  Fans(Client& client, Rooms& rooms, ScriptRunner& runner, AdmissionRecorder& recorder, Recovery& recovery,
       Millis window, TokenOf token_of);

  // Answers the request, or sets `is_lost`: then call Restore(). During an outage of Redis the mirror and the
  // database answer polls.
  Task<void> Send(FanRequest* request, Time now);
  // Restores a lost place, and answers the request.
  Task<void> Restore(FanRequest* request, Time now);
  // Call after a loss, for an answered request. Redis may have restarted with data from before a place was
  // used. Such a place ends, and the answer is kNotQueued.
  Task<void> CheckUnused(FanRequest* request, Time now);
  // The answer for a fan with a slot; absent: Send() must decide.
  Task<Outcome<std::optional<PlaceAnswer>>> FindInside(PlaceRef place, Time now);
  // Ends a place, or only a slot. False: the fan has none.
  Task<Outcome<bool>> End(PlaceRef place, Ending ending, bool only_inside, Time now);

 private:
  Task<void> RunAsk(RoomId room, FanRequests requests, Time now);
  Task<void> RunEnter(RoomId room, FanRequests requests, Time now);
  Task<void> RunRestore(RoomId room, FanRequests requests, Time now);
  Task<void> RunCheck(RoomId room, FanRequests requests, Time now);
  // Answers requests during an outage of Redis. A join, an enter and a poll without a number stay refused.
  Task<void> AnswerAway(RoomId room, FanRequests requests, Time now);
  Task<Outcome<Room*>> LearnFromTokens(RoomId room, FanRequests requests, Time now);
  // Admissions to record, and the requests whose answers wait for these records.
  struct Entered {
    std::vector<AdmissionRecord> records;
    FanRequests requests;
  };
  // Fills in the answers, and writes the tokens for readers of `main`.
  Task<Entered> Answer(Room* room, FanRequests requests, std::vector<FanReply> fans, Time now);

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
