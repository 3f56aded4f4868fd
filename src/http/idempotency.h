// `Idempotency-Key`: the same key and body get the same answer and have one effect; another body is refused.
#pragma once

#include "base/task.h"
#include "domain/refusal.h"
#include "http/identity.h"
#include "server/keyed_requests.h"
#include "usecase/answer_once.h"

namespace maejin::http {

// Thread-safe. Outlived by what it refers to.
class Idempotency final : public KeyedRequests {
 public:
  Idempotency(AnswerOnce& answers, const Identity& identity) : answers_(answers), identity_(identity) {}

  // Runs the route's handler once per caller (the user, or else the client's address), method, path and key.
  // Answers of 500 and above, and 429, are not kept. Refuses: kInvalidField (no key of 1…255 printable
  // characters), kIdempotencyMismatch, kIdempotencyRunning, kUnavailable.
  // `request` and `response` live until the task ends.
  Task<Outcome<Done>> Run(const Route& route, const Request& request, Response& response) override;

  // The same for a request that has another name than its caller, path and key. kSuccess: refusals are not kept, either.
  enum class Keep : std::uint8_t { kAnswers, kSuccess };
  Task<Outcome<Done>> RunAs(IdempotentRequest name, Keep keep, const Handler& handler, const Request& request,
                            Response& response);

 private:
  IdempotentRequest Name(const Request& request) const;

  AnswerOnce& answers_;
  const Identity& identity_;
};

}  // namespace maejin::http
