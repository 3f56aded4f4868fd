#include "http/admin/rehearsal_routes.h"

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/numbers.h"
#include "http/json_body.h"
#include "http/operator_route.h"

namespace maejin::http {
namespace {

// Fewer than `maejin rehearse` uses: the node's other visitors need connections too.
constexpr std::int64_t kConnectionsByDefault = 200;

bool IsRequired(RehearsalKey key) { return key == RehearsalKey::kFans || key == RehearsalKey::kSeats; }

RehearsalNumbers ReadNumbers(JsonObject& body) {
  RehearsalNumbers numbers;
  for (std::size_t i = 0; i < kRehearsalNumbers.size(); ++i) {
    const auto key = static_cast<RehearsalKey>(i);
    const auto& allowed = NumberOf(key);
    const IntRange range{allowed.min, allowed.max};
    if (IsRequired(key)) {
      numbers[key] = body.Int(allowed.field, range);
      continue;
    }
    numbers[key] = body.OptionalInt(allowed.field, range);
    if (!numbers[key]) numbers[key] = ParseInt<std::int64_t>(allowed.fallback);
  }
  return numbers;
}

void WriteStatus(const RehearsalStatus& status, std::string& out) {
  JsonWriter json(out);
  json.Object([&] {
    json.Field("id", status.id);
    json.Field("state", Name(status.state));
    json.Field("startedBy", status.actor);
    json.Field("startedAt", status.started_at);
    json.OptionalField("endedAt", status.ended_at);
    json.Object("plan", [&] {
      for (std::size_t i = 0; i < kRehearsalNumbers.size(); ++i)
        json.OptionalField(kRehearsalNumbers[i].field, status.numbers[static_cast<RehearsalKey>(i)]);
    });
    json.RawOrNull("progress", status.progress);
    json.RawOrNull("report", status.report);
    json.OptionalField("reason", status.reason.empty() ? std::nullopt : std::optional(status.reason));
  });
}

Task<Outcome<Done>> PostRehearsal(ManageRehearsal& rehearsal, const Request& request, Response& response) {
  JsonBody body(request);
  auto numbers = ReadNumbers(body.root());
  const bool during_sale = body.root().OptionalBool("duringSale").value_or(false);
  if (auto refused = body.Finish()) co_return std::move(*refused);
  if (!AreSeatsEqual(*numbers[RehearsalKey::kSeats], *numbers[RehearsalKey::kDates])) {
    co_return Refused(Refusal::kInvalidField,
                      "seats: must be a multiple of dates, because every date has the same number of seats");
  }
  auto& connections = numbers[RehearsalKey::kConnections];
  if (!connections) connections = std::min(kConnectionsByDefault, *numbers[RehearsalKey::kFans]);
  const auto started = co_await rehearsal.Start(numbers, during_sale, request.actor);
  if (!started) co_return started.error();
  response.status = 202;
  response.AddHeader("Location", "/api/v1/admin/rehearsals/current");
  WriteStatus(*started, response.body);
  co_return Done{};
}

Task<Outcome<Done>> GetRehearsal(const ManageRehearsal& rehearsal, Response& response) {
  const auto status = rehearsal.Read();
  if (status) {
    WriteStatus(*status, response.body);
  } else {
    response.status = 204;
  }
  co_return Done{};
}

Task<Outcome<Done>> DeleteRehearsal(ManageRehearsal& rehearsal, const Request& request, Response& response) {
  response.status = 204;
  co_return co_await rehearsal.Cancel(request.actor);
}

}  // namespace

void AddRehearsalRoutes(Router& router, ManageRehearsal& rehearsal) {
  const auto add = [&](Method method, const char* pattern, Handler handler) {
    AddOperatorRoute(router, method, pattern, std::move(handler));
  };
  add(Method::kPost, "/api/v1/admin/rehearsals", [&rehearsal](const Request& request, Response& response) {
    return PostRehearsal(rehearsal, request, response);
  });
  add(Method::kGet, "/api/v1/admin/rehearsals/current",
      [&rehearsal](const Request&, Response& response) { return GetRehearsal(rehearsal, response); });
  add(Method::kDelete, "/api/v1/admin/rehearsals/current",
      [&rehearsal](const Request& request, Response& response) {
        return DeleteRehearsal(rehearsal, request, response);
      });
}

}  // namespace maejin::http
