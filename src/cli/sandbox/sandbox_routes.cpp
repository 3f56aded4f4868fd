#include "cli/sandbox/sandbox_routes.h"

#include <boost/asio/this_coro.hpp>

#include "base/await.h"
#include "base/json_writer.h"
#include "base/timer.h"
#include "http/json_body.h"

namespace maejin::cli {
namespace {

namespace asio = boost::asio;
using http::Request;
using http::Response;

constexpr http::IntRange kPercent{0, 100};
constexpr http::IntRange kMillis{0, 600'000};

Task<void> Pause(Millis length) {
  if (length.count() == 0) co_return;
  const auto executor = co_await asio::this_coro::executor;
  SteadyTimer timer(executor, length);
  const auto [ended] = co_await timer.async_wait(kAwait);
  static_cast<void>(ended);
}

// Runs one call with the planned faults. `move` moves the money and returns the charge; absent: the key was
// used with another amount before.
template <class Move>
Task<Outcome<Done>> RunWithFaults(FaultInjector::Plan plan, Move move, Response& response) {
  if (plan.down) co_return Refusal::kUnavailable;
  co_await Pause(plan.before);
  const std::optional<SandboxCharge> charge = move();
  if (!charge) co_return Refusal::kAmountMismatch;
  co_await Pause(plan.after);
  WriteCharge(response.body, *charge);
  response.copies = plan.copies;
  co_return Done{};
}

Task<Outcome<Done>> PostCharge(SandboxBank& bank, FaultInjector& injector, const Request& request,
                               Response& response) {
  http::JsonBody body(request);
  auto& json = body.root();
  const auto key = json.Text("key", {.min = 1, .max = 128});
  const auto amount = json.Int("amount", {0, INT64_MAX});
  const auto method = json.OptionalText("method", {.min = 0, .max = 50}).value_or("");
  if (auto refused = body.Finish()) co_return std::move(*refused);
  const auto plan = injector.Next(method);
  const auto move = [&] { return bank.Charge(key, amount, method, plan.declined); };
  co_return co_await RunWithFaults(plan, move, response);
}

Task<Outcome<Done>> GetCharge(SandboxBank& bank, FaultInjector& injector, const Request& request,
                              Response& response) {
  const std::string key(request.params[0]);
  const auto look = [&]() -> std::optional<SandboxCharge> {
    auto found = bank.Find(key);
    if (!found) found = SandboxCharge{key, 0, "", "NONE", 0, 0};
    return found;
  };
  co_return co_await RunWithFaults(injector.Next(""), look, response);
}

Task<Outcome<Done>> PostRefund(SandboxBank& bank, FaultInjector& injector, const Request& request,
                               Response& response) {
  const std::string key(request.params[0]);
  const auto move = [&] { return std::optional(bank.Refund(key)); };
  co_return co_await RunWithFaults(injector.Next(""), move, response);
}

void WriteFaults(std::string& out, const SandboxFaults& faults) {
  JsonWriter json(out);
  json.Object([&] {
    json.Field("slowPercent", faults.slow_percent);
    json.Field("slowMs", faults.slow_ms);
    json.Field("latePercent", faults.late_percent);
    json.Field("lateMs", faults.late_ms);
    json.Field("lostPercent", faults.lost_percent);
    json.Field("twicePercent", faults.twice_percent);
    json.Field("declinedPercent", faults.declined_percent);
    json.Field("down", faults.down);
  });
}

// Fields that the body omits get their defaults.
Task<Outcome<Done>> PostFaults(FaultInjector& injector, const Request& request, Response& response) {
  http::JsonBody body(request);
  auto& json = body.root();
  SandboxFaults faults;
  const auto set = [&](const char* name, http::IntRange range, std::int64_t& value) {
    value = json.OptionalInt(name, range).value_or(value);
  };
  set("slowPercent", kPercent, faults.slow_percent);
  set("slowMs", kMillis, faults.slow_ms);
  set("latePercent", kPercent, faults.late_percent);
  set("lateMs", kMillis, faults.late_ms);
  set("lostPercent", kPercent, faults.lost_percent);
  set("twicePercent", kPercent, faults.twice_percent);
  set("declinedPercent", kPercent, faults.declined_percent);
  faults.down = json.OptionalBool("down").value_or(false);
  if (auto refused = body.Finish()) co_return std::move(*refused);
  injector.Set(faults);
  WriteFaults(response.body, faults);
  co_return Done{};
}

Task<Outcome<Done>> GetFaults(FaultInjector& injector, Response& response) {
  WriteFaults(response.body, injector.faults());
  co_return Done{};
}

Task<Outcome<Done>> GetLedger(SandboxBank& bank, Response& response) {
  response.body = "{\"charges\":[";
  for (const auto& charge : bank.All()) {
    if (response.body.back() != '[') response.body += ',';
    WriteCharge(response.body, charge);
  }
  response.body += "]}";
  co_return Done{};
}

}  // namespace

FaultInjector::Plan FaultInjector::Next(std::string_view method) {
  const std::lock_guard lock(mutex_);
  const auto& faults = faults_;
  const bool chosen = method.starts_with("test-");
  const auto happens = [&](std::string_view name, std::int64_t percent) {
    if (chosen) return method.substr(5) == name;
    return static_cast<std::int64_t>(random_() % 100) < percent;
  };
  Plan plan;
  plan.down = faults.down;
  if (happens("slow", faults.slow_percent)) plan.before = Millis{faults.slow_ms};
  if (happens("late", faults.late_percent)) plan.after = Millis{faults.late_ms};
  if (happens("twice", faults.twice_percent)) plan.copies = 2;
  if (happens("lost", faults.lost_percent)) plan.copies = 0;
  plan.declined = happens("declined", faults.declined_percent);
  return plan;
}

SandboxFaults FaultInjector::faults() const {
  const std::lock_guard lock(mutex_);
  return faults_;
}

void FaultInjector::Set(const SandboxFaults& faults) {
  const std::lock_guard lock(mutex_);
  faults_ = faults;
}

void AddSandboxRoutes(http::Router& router, SandboxBank& bank, FaultInjector& injector) {
  using enum http::Method;
  const auto add = [&](http::Method method, const char* pattern, http::Handler handler) {
    router.Add({.method = method,
                .pattern = pattern,
                .priority = http::Priority::kAlways,
                .handler = std::move(handler)});
  };
  add(kPost, "/charges", [&](const Request& request, Response& response) {
    return PostCharge(bank, injector, request, response);
  });
  add(kGet, "/charges/{key}", [&](const Request& request, Response& response) {
    return GetCharge(bank, injector, request, response);
  });
  add(kPost, "/charges/{key}/refund", [&](const Request& request, Response& response) {
    return PostRefund(bank, injector, request, response);
  });
  add(kGet, "/ledger", [&](const Request&, Response& response) { return GetLedger(bank, response); });
  add(kGet, "/faults", [&](const Request&, Response& response) { return GetFaults(injector, response); });
  add(kPost, "/faults",
      [&](const Request& request, Response& response) { return PostFaults(injector, request, response); });
}

}  // namespace maejin::cli
