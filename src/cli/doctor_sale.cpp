#include "cli/doctor_sale.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/json.hpp>

#include "cli/common/admin_client.h"
#include "cli/common/answer_json.h"

namespace maejin::cli {
namespace {

namespace json = boost::json;

// A finding lists at most this many names and only counts the others.
constexpr std::size_t kNamed = 5;

struct Unlimited {
  const char* setting;
  std::vector<std::string> names;
};

std::string Sentence(const char* kind, const Unlimited& found) {
  auto named = found.names;
  if (named.size() > kNamed) named.resize(kNamed);
  const auto more = found.names.size() - named.size();
  return fmt::format("{} {}{} without {}", kind, fmt::join(named, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "", found.setting);
}

struct ReadError {
  std::string sentence;
  int status = 0;  // 0: no answer
};

Result<json::object, ReadError> Read(HttpClient& client, const std::string& target) {
  const auto answer = client.Call({.method = "GET", .target = target, .body = {}, .headers = {}});
  if (!answer) return ReadError{answer.error()};
  auto body = ObjectIn(answer->body);
  if (answer->status != 200 || !body)
    return ReadError{fmt::format("{}: {}", target, answer->status), answer->status};
  return std::move(*body);
}

// `otherwise` if the server accepts the key.
Finding FindingOf(const ReadError& error, const config::Config& config, Finding otherwise) {
  if (error.status != 401) return otherwise;
  return {Health::kBad, "admin key",
          fmt::format("the server refuses the key of {}", config.admin_key_file.string())};
}

bool Over(const json::object& concert) {
  const auto status = TextOf(concert, "status");
  return status == "CLOSED" || status == "CANCELLED";
}

void AddFindings(const char* kind, const std::vector<Unlimited>& all, std::vector<Finding>& findings) {
  for (const auto& found : all) {
    if (!found.names.empty()) findings.push_back({Health::kWarning, "limits", Sentence(kind, found)});
  }
}

Result<Done, ReadError> CheckConcerts(HttpClient& client, std::vector<Finding>& findings) {
  const auto page = Read(client, "/api/v1/concerts?limit=1000");
  if (!page) return page.error();
  std::vector<Unlimited> all{{"maxSeatsPerUser", {}}, {"cooldownSeconds", {}}};
  const auto* concerts = ListOf(*page, "concerts");
  for (const auto& value : concerts ? *concerts : json::array()) {
    if (!value.is_object() || Over(value.get_object())) continue;
    for (auto& each : all) {
      if (CountOf(value.get_object(), each.setting) == 0)
        each.names.push_back(std::to_string(CountOf(value.get_object(), "id")));
    }
  }
  AddFindings("concert", all, findings);
  return Done{};
}

Result<Done, ReadError> CheckRooms(HttpClient& client, std::vector<Finding>& findings) {
  const auto page = Read(client, "/api/v1/rooms");
  if (!page) return page.error();
  std::vector<Unlimited> all{{"joinsPerAddressPerMinute", {}}};
  const auto* rooms = ListOf(*page, "rooms");
  for (const auto& value : rooms ? *rooms : json::array()) {
    if (!value.is_object() || TextOf(value.get_object(), "state") == "closed") continue;
    if (CountOf(value.get_object(), all[0].setting) == 0)
      all[0].names.push_back(TextOf(value.get_object(), "eventId"));
  }
  AddFindings("room", all, findings);
  return Done{};
}

}  // namespace

std::vector<Finding> CheckSaleLimits(const config::Config& config) {
  const auto server = RunningServer(config);
  if (!server) return {};
  auto client = AdminClient(*server, config);
  if (!client) return {{Health::kWarning, "limits", client.error()}};
  std::vector<Finding> findings;
  auto examined = CheckConcerts(*client, findings);
  if (examined) examined = CheckRooms(*client, findings);
  if (!examined) {
    const auto& error = examined.error();
    return {FindingOf(error, config, {Health::kWarning, "limits", "cannot be read: " + error.sentence})};
  }
  if (findings.empty()) findings.push_back({Health::kGood, "limits", "set for every concert and room"});
  return findings;
}

std::vector<Finding> ExamineSale(const config::Config& config, const std::string& sale) {
  const auto server = RunningServer(config);
  if (!server)
    return {
        {Health::kBad, "data", fmt::format("no server runs on {}: start it first", config.data.string())}};
  auto client = AdminClient(*server, config);
  if (!client) return {{Health::kBad, "admin key", client.error()}};
  const auto body = Read(*client, "/api/v1/admin/readiness?sale=" + sale);
  if (!body) {
    const auto& error = body.error();
    return {FindingOf(error, config,
                      {Health::kBad, "opening", "the server does not know the sale: " + error.sentence})};
  }
  std::vector<Finding> findings;
  const auto* list = ListOf(*body, "findings");
  for (const auto& value : list ? *list : json::array()) {
    if (!value.is_object()) continue;
    const auto health = TextOf(value.get_object(), "health");
    findings.push_back({health == "ok"        ? Health::kGood
                        : health == "warning" ? Health::kWarning
                                              : Health::kBad,
                        TextOf(value.get_object(), "about"), TextOf(value.get_object(), "sentence")});
  }
  return findings;
}

}  // namespace maejin::cli
