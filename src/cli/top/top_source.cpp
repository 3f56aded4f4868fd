#include "cli/top/top_source.h"

#include <fmt/format.h>

#include "config/secret_file.h"

namespace maejin::cli {
namespace {

constexpr Seconds kRequestTimeout{5};  // short, so that q takes effect soon
constexpr std::size_t kConcertPage = 1000;
constexpr std::size_t kMostConcerts = 10 * kConcertPage;

}  // namespace

TopSource::TopSource(std::string url, const config::Config& config) : url_(std::move(url)), client_(url_) {
  client_.SetTimeout(kRequestTimeout);
  if (const auto key = config::ReadSecret(config.admin_key_file, "admin key")) {
    client_.AddHeader("Authorization", "Bearer " + key->text);
  } else {
    no_key_ = key.error();
  }
}

Result<HttpAnswer, std::string> TopSource::Ask(const std::string& target) {
  HttpCall call;
  call.target = target;
  return client_.Call(call);
}

Result<TopReading, std::string> TopSource::Read() {
  TopReading reading;
  if (auto error = ReadPublic(reading); !error.empty()) return error;
  if (auto error = ReadAllConcerts(reading); !error.empty()) return error;
  ReadAdmin(reading);
  return reading;
}

std::string TopSource::ReadPublic(TopReading& reading) {
  const auto ready = Ask("/readyz");
  if (!ready) return ready.error();
  const auto metrics = Ask("/metrics");
  if (!metrics) return metrics.error();
  reading.at = clock_.Now();
  reading.metrics = ParseMetrics(metrics->body);
  if (!ReadReadiness(ready->body, reading) || metrics->status != 200)
    return fmt::format("{} is not a maejin server", url_);
  return {};
}

std::string TopSource::ReadAllConcerts(TopReading& reading) {
  std::size_t page = kConcertPage;
  while (page == kConcertPage && reading.concerts.size() < kMostConcerts) {
    const auto after =
        reading.concerts.empty() ? std::string() : fmt::format("&after={}", reading.concerts.back().id);
    const auto answer = Ask(fmt::format("/api/v1/concerts?limit={}{}", kConcertPage, after));
    if (!answer) return answer.error();
    const auto before = reading.concerts.size();
    if (answer->status != 200 || !ReadConcerts(answer->body, reading))
      reading.notes.push_back(
          fmt::format("cannot read the concerts: the server answered {}", answer->status));
    page = reading.concerts.size() - before;
  }
  if (page == kConcertPage)
    reading.notes.push_back(fmt::format("showing only the first {} concerts", kMostConcerts));
  return {};
}

void TopSource::ReadAdmin(TopReading& reading) {
  if (no_key_.empty()) {
    const auto answer = Ask("/api/v1/rooms");
    if (answer && (answer->status == 401 || answer->status == 403)) {
      no_key_ = "the server does not accept this admin key";
    } else if (answer && answer->status == 200 && ReadRooms(answer->body, reading)) {
      return ReadServer(reading);
    } else {
      reading.notes.push_back(
          "rooms are read from /metrics: " +
          (answer ? fmt::format("the server answered {}", answer->status) : answer.error()));
    }
  }
  reading.rooms = RoomsInMetrics(reading.metrics);
  if (no_key_.empty()) return;
  reading.notes.push_back(no_key_);
  reading.notes.emplace_back("the admin key would add: version, uptime, each room's state and number served");
}

void TopSource::ReadServer(TopReading& reading) {
  const auto accepted = SumOf(reading.metrics, "maejin_http_connections_accepted_total").value_or(0);
  if (!server_ || accepted < accepted_) {
    const auto answer = Ask("/api/v1/admin/system");
    if (answer && answer->status == 200 && ReadSystem(answer->body, reading)) server_ = reading.server;
  }
  accepted_ = accepted;
  reading.server = server_;
}

}  // namespace maejin::cli
