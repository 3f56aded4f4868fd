#include "http/idempotency.h"

#include <algorithm>
#include <memory>

#include "http/problem.h"
#include "server/admin_key.h"

namespace maejin::http {
namespace {

constexpr std::size_t kLongestKey = 255;

bool IsKey(std::string_view text) {
  return !text.empty() && text.size() <= kLongestKey &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

// The server has compared the key before it calls a handler of Access::kAdmin. A request without a key has a
// console session, whose actor names the key.
Outcome<std::string> Operator(const Request& request) {
  const auto key = BearerToken(request.Header("Authorization"));
  if (key.empty() && request.actor.empty()) return Refusal::kUnauthorized;
  if (key.empty()) return "operator in the console " + request.actor;
  return "operator " + std::string(AsText(Sha256(key)));
}

// With the length prefixes, different callers or paths never give the hash the same text.
Digest NameOf(std::string_view caller, const Request& request) {
  std::string text = std::to_string(caller.size());
  text.append(" ").append(caller).append(" ").append(std::to_string(static_cast<int>(request.method)));
  text.append(" ").append(std::to_string(request.path.size())).append(" ").append(request.path);
  text.append(" ").append(request.Header("Idempotency-Key"));
  return Sha256(text);
}

// Frees the key on every exit, exceptions included, unless the answer is kept.
class AbandonUnlessKept {
 public:
  AbandonUnlessKept(AnswerOnce& answers, const IdempotentRequest& request)
      : answers_(answers), request_(request) {}
  ~AbandonUnlessKept() {
    if (!kept_) answers_.Abandon(request_);
  }
  AbandonUnlessKept(const AbandonUnlessKept&) = delete;
  AbandonUnlessKept& operator=(const AbandonUnlessKept&) = delete;
  void Keep() { kept_ = true; }

 private:
  AnswerOnce& answers_;
  IdempotentRequest request_;
  bool kept_ = false;
};

}  // namespace

Handler Idempotency::Wrap(Rules rules) {
  return [this, shared = std::make_shared<const Rules>(std::move(rules))](const Request& request,
                                                                          Response& response) {
    if (!request.HasHeader("Idempotency-Key")) return shared->handler(request, response);
    return Run(*shared, request, response);
  };
}

Handler Idempotency::ForFans(CallerOf caller, Handler handler) {
  return Wrap({std::move(caller), std::move(handler), kKeysPerFan, false});
}

Handler Idempotency::ForOperators(Handler handler) {
  return Wrap({Operator, std::move(handler), kKeysPerOperator, true});
}

Task<Outcome<Done>> Idempotency::Run(const Rules& rules, const Request& request, Response& response) {
  if (!IsKey(request.Header("Idempotency-Key"))) {
    co_return Refused{Refusal::kInvalidField, "Idempotency-Key: must be 1…255 printable characters"};
  }
  const auto caller = rules.caller(request);
  if (!caller.ok()) co_return caller.error();
  const IdempotentRequest name{.id = NameOf(*caller, request),
                               .fingerprint = Sha256(request.body),
                               .caller = Sha256(*caller),
                               .quota = rules.quota,
                               .announced = rules.announced};
  co_return co_await RunAs(name, rules.handler, request, response);
}

Task<Outcome<Done>> Idempotency::RunAs(IdempotentRequest name, const Handler& handler, const Request& request,
                                       Response& response) {
  auto begun = co_await answers_.Begin(name);
  if (!begun.ok()) co_return begun.error();
  switch (begun->kind) {
    case IdempotencyBegin::Kind::kMismatch:
      co_return Refusal::kIdempotencyMismatch;
    case IdempotencyBegin::Kind::kRunning:
      co_return Refusal::kIdempotencyRunning;
    case IdempotencyBegin::Kind::kInterrupted:
      WriteProblem(ServerProblem::kInterrupted, request.language, response);
      co_return Done{};
    case IdempotencyBegin::Kind::kReplay:
      response.status = begun->answer->status;
      response.content_type = "application/json";
      response.extra_headers = begun->answer->extra_headers;
      response.body = begun->answer->body;
      response.AddHeader("Idempotent-Replayed", "true");
      co_return Done{};
    case IdempotencyBegin::Kind::kNew:
      break;
  }
  name.attempt = begun->attempt;
  AbandonUnlessKept abandon(answers_, name);
  const auto outcome = co_await handler(request, response);
  if (!outcome.ok()) WriteProblem(outcome.error(), request, response);
  if (response.status >= 400) co_return Done{};
  StoredAnswer answer{response.status, response.extra_headers, std::string(response.Body())};
  // From here the effect exists: the key stays taken even if the answer cannot be written.
  abandon.Keep();
  const auto finished = co_await answers_.Finish(name, std::move(answer));
  if (!finished.ok()) co_return finished.error();
  co_return Done{};
}

}  // namespace maejin::http
