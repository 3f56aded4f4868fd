// `Idempotency-Key`: the same caller, route, key and body have one effect and get one answer.
#pragma once

#include <functional>
#include <string>

#include "base/task.h"
#include "domain/refusal.h"
#include "server/router.h"
#include "usecase/answer_once.h"

namespace maejin::http {

// Authenticates a request and returns its caller: the verified user, queue token, reservation or admin key.
// Refuses a request without a caller as the route's handler does. The result is never something that an
// outsider can send, too, such as an address.
using CallerOf = std::function<Outcome<std::string>(const Request&)>;

// Thread-safe. `answers` outlives it, and it outlives the handlers it returns.
class Idempotency {
 public:
  explicit Idempotency(AnswerOnce& answers) : answers_(answers) {}

  // Wraps a handler. A request without the header goes straight to `handler`. With it, the request is
  // authenticated first and then run once per caller, method, path and key. Only answers below 400 are
  // remembered: a refusal has no effect, and may be different next time. Refuses: kInvalidField (no key of
  // 1…255 printable characters), what `caller` refuses, kIdempotencyMismatch, kIdempotencyRunning,
  // kTooManyRequests (the caller's quota), kUnavailable.
  Handler ForFans(CallerOf caller, Handler handler);
  // The same for routes behind the admin key, which is the caller. The store records durably that a request
  // began before its handler runs. A retry after a crash is then refused as interrupted, because its effect
  // is unknown.
  Handler ForOperators(Handler handler);

  // Runs `handler` once for each `name`. For routes whose body identifies the request, without an
  // Idempotency-Key: a payment callback has an event id.
  Task<Outcome<Done>> RunAs(IdempotentRequest name, const Handler& handler, const Request& request,
                            Response& response);

 private:
  struct Rules {
    CallerOf caller;
    Handler handler;
    std::uint32_t quota;
    bool announced;
  };
  Handler Wrap(Rules rules);
  Task<Outcome<Done>> Run(const Rules& rules, const Request& request, Response& response);

  AnswerOnce& answers_;
};

}  // namespace maejin::http
