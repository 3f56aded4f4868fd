#include "http/idempotency.h"

#include <algorithm>

#include <boost/json/parse.hpp>

#include "http/problem.h"

namespace maejin::http {
namespace {

constexpr std::size_t kLongestKey = 255;

bool IsKey(std::string_view text) {
  return !text.empty() && text.size() <= kLongestKey &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

// The user a body names, if it is an object that names one; anything else is the handler's to refuse.
std::optional<std::string> NamedUser(std::string_view body) {
  boost::system::error_code error;
  boost::json::parse_options options;
  options.max_depth = 16;
  const auto value = boost::json::parse(body, error, {}, options);
  if (error || !value.is_object()) return {};
  const auto* user = value.get_object().if_contains("userId");
  if (!user || !user->is_string()) return {};
  return std::string(user->get_string());
}

// Keeps the key free again, unless the answer was stored.
class Abandoning {
 public:
  Abandoning(AnswerOnce& answers, const IdempotentRequest& request) : answers_(answers), request_(request) {}
  ~Abandoning() {
    if (!kept_) answers_.Abandon(request_);
  }
  void Keep() { kept_ = true; }

 private:
  AnswerOnce& answers_;
  IdempotentRequest request_;
  bool kept_ = false;
};

}  // namespace

IdempotentRequest Idempotency::Name(const Request& request) const {
  std::string caller;
  const auto named = NamedUser(request.body);
  const auto user = named ? identity_.Find(request, *named) : identity_.Find(request);
  if (user.ok() && *user) {
    caller = "user " + **user;
  } else {
    caller = "client " + std::string(request.client);
  }
  // Lengths keep two different callers from reading as one.
  std::string text = std::to_string(caller.size()) + ' ' + caller + ' ' +
                     std::to_string(static_cast<int>(request.method)) + ' ' +
                     std::to_string(request.path.size()) + ' ' + std::string(request.path) + ' ' +
                     std::string(request.Header("Idempotency-Key"));
  return {Sha256(text), Sha256(request.body)};
}

Task<Outcome<Done>> Idempotency::Run(const Route& route, const Request& request, Response& response) {
  if (!IsKey(request.Header("Idempotency-Key"))) {
    co_return Refused{Refusal::kInvalidField, "Idempotency-Key: must be 1…255 printable characters"};
  }
  auto name = Name(request);
  name.announced = route.announced_by_key;
  co_return co_await RunAs(name, Keep::kAnswers, route.handler, request, response);
}

Task<Outcome<Done>> Idempotency::RunAs(IdempotentRequest name, Keep keep, const Handler& handler,
                                       const Request& request, Response& response) {
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
      response.content_type = response.status >= 400 ? std::string_view("application/problem+json")
                                                     : std::string_view("application/json");
      response.extra_headers = begun->answer->extra_headers;
      response.body = begun->answer->body;
      response.AddHeader("Idempotent-Replayed", "true");
      co_return Done{};
    case IdempotencyBegin::Kind::kNew:
      break;
  }
  Abandoning abandoning(answers_, name);
  const auto outcome = co_await handler(request, response);
  if (!outcome.ok()) WriteProblem(outcome.error(), request, response);
  if (response.status >= 500 || response.status == 429) co_return Done{};
  if (keep == Keep::kSuccess && response.status >= 400) co_return Done{};
  StoredAnswer answer{response.status, response.extra_headers, std::string(response.Body())};
  // Whatever becomes of the write: the effect is there, and must not be repeated.
  abandoning.Keep();
  const auto finished = co_await answers_.Finish(name, std::move(answer));
  if (!finished.ok()) co_return finished.error();
  co_return Done{};
}

}  // namespace maejin::http
