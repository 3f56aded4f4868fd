#include "app/sale_checks.h"

#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "base/time_zone.h"

namespace maejin::app {
namespace {

constexpr std::size_t kConcertsPerPage = 500;
constexpr std::chrono::days kRehearsalIsOld{30};
constexpr std::chrono::hours kWebhookIsQuiet{24};
constexpr std::chrono::hours kNightEnds{6};
constexpr std::chrono::seconds kConnectWithin{2};

std::string Ahead(Time at, Time now) {
  const auto minutes = std::chrono::floor<std::chrono::minutes>(at - now).count();
  if (minutes < 120) return fmt::format("in {} minutes", minutes);
  return fmt::format("in {} hours", minutes / 60);
}

Finding CheckOpening(const ConcertView& concert, const TimeZone& zone, Time now) {
  const auto finding = [](Health health, std::string sentence) {
    return Finding{health, "opening", std::move(sentence)};
  };
  const auto opens_at = concert.details.booking_open_at;
  if (concert.status == ConcertStatus::kOpen) return finding(Health::kGood, "on sale now");
  if (concert.status != ConcertStatus::kScheduled)
    return finding(Health::kBad, fmt::format("the concert is {}: it sells nothing", Name(concert.status)));
  if (!opens_at)
    return finding(Health::kWarning, "no bookingOpenAt: the sale opens only when an operator opens it");
  const auto text =
      fmt::format("{} {}, {}", zone.FormatMinute(*opens_at), zone.name(), Ahead(*opens_at, now));
  if (*opens_at - zone.StartOf(zone.LocalDay(*opens_at)) < kNightEnds)
    return finding(Health::kWarning, text + ": at night. Is the time zone right (setting timezone)?");
  return finding(Health::kGood, text);
}

Finding CheckRoom(const ConcertDetails& details, const std::optional<RoomInfo>& room) {
  if (!room) return {Health::kWarning, "room", "no waiting room: every visitor reaches the seats at once"};
  const auto& settings = room->settings;
  const auto text = fmt::format(
      "{}, capacity {}{}", Name(room->serving.state), settings.capacity,
      settings.rate_per_minute ? fmt::format(", {} entries a minute", *settings.rate_per_minute) : "");
  if (room->serving.state == RoomState::kClosed) return {Health::kBad, "room", text + ": no fan can join"};
  if (room->serving.state == RoomState::kPaused) return {Health::kBad, "room", text + ": no fan is admitted"};
  if (settings.draining) return {Health::kBad, "room", text + ", draining: no fan can join"};
  const bool late =
      settings.opens_at && details.booking_open_at && *settings.opens_at > *details.booking_open_at;
  if (late) return {Health::kBad, "room", text + ": opens after the sale does"};
  return {Health::kGood, "room", text};
}

Finding CheckRehearsal(const std::optional<ConcertView>& last, const std::optional<RoomInfo>& rehearsed,
                       const std::optional<RoomInfo>& room, Time now) {
  const auto finding = [](Health health, std::string sentence) {
    return Finding{health, "rehearsal", std::move(sentence)};
  };
  if (!last) return finding(Health::kWarning, "never rehearsed on this server: run `maejin rehearse`");
  const auto days = std::chrono::floor<std::chrono::days>(now - last->created_at);
  auto text = fmt::format("{} days ago", days.count());
  if (!last->sold_out_at) return finding(Health::kWarning, text + ", not sold out");
  if (rehearsed) text += fmt::format(", capacity {}", rehearsed->settings.capacity);
  if (days > kRehearsalIsOld) return finding(Health::kWarning, text + ": rehearse again");
  if (room && rehearsed && room->settings.capacity > rehearsed->settings.capacity) {
    return finding(Health::kWarning, fmt::format("{}; this sale has {}: rehearse with --capacity {}", text,
                                                 room->settings.capacity, room->settings.capacity));
  }
  return finding(Health::kGood, text);
}

Finding CheckGate(const ConcertDetails& details, const std::optional<RoomInfo>& room) {
  std::vector<std::string_view> missing;
  if (details.max_seats_per_user == 0) missing.emplace_back("maxSeatsPerUser");
  if (details.cooldown.count() == 0) missing.emplace_back("cooldownSeconds");
  if (room && !room->settings.joins_per_address_per_minute) missing.emplace_back("joinsPerAddressPerMinute");
  if (missing.empty()) return {Health::kGood, "gate", "limits per user and per address are set"};
  return {Health::kWarning, "gate", fmt::format("without {}", fmt::join(missing, ", "))};
}

// The time of the newest delivery that the endpoint accepted.
std::optional<Time> LastAccepted(const Webhook& webhook) {
  for (const auto line : NewestFirst(webhook.progress.recent)) {
    if (line.find(R"("status":"delivered")") == std::string_view::npos) continue;
    constexpr std::string_view kField = R"("attemptedAt":")";
    const auto at = line.find(kField);
    if (at == std::string_view::npos) continue;
    const auto text = line.substr(at + kField.size());
    return ParseTime(text.substr(0, text.find('"')));
  }
  return {};
}

Finding CheckWebhooks(const std::vector<Webhook>& webhooks, Time now) {
  std::vector<WebhookId> broken, quiet;
  for (const auto& each : webhooks) {
    const auto accepted = LastAccepted(each);
    if (!each.active() || each.progress.failing_since) {
      broken.push_back(each.id);
    } else if (!accepted || now - *accepted > kWebhookIsQuiet) {
      quiet.push_back(each.id);
    }
  }
  if (!broken.empty())
    return {Health::kBad, "webhooks", fmt::format("disabled or failing: {}", fmt::join(broken, ", "))};
  if (!quiet.empty()) {
    return {Health::kWarning, "webhooks",
            fmt::format("nothing accepted for a day, send a test: {}", fmt::join(quiet, ", "))};
  }
  return {Health::kGood, "webhooks",
          webhooks.empty() ? "none" : fmt::format("{}, all accepted an event within a day", webhooks.size())};
}

bool AcceptsConnections(const config::Address& address) {
  namespace asio = boost::asio;
  asio::io_context context;
  asio::ip::tcp::resolver resolver(context);
  boost::system::error_code error;
  const auto found = resolver.resolve(address.host, std::to_string(address.port), error);
  if (error) return false;
  asio::ip::tcp::socket socket(context);
  bool connected = false;
  asio::async_connect(socket, found, [&](boost::system::error_code failed, const asio::ip::tcp::endpoint&) {
    connected = !failed;
  });
  context.run_for(kConnectWithin);
  return connected;
}

}  // namespace

std::optional<ConcertView> LastRehearsal(const BookingStore& bookings, Time now) {
  std::optional<ConcertView> last;
  ConcertId after = 0;
  for (std::size_t found = kConcertsPerPage; found == kConcertsPerPage;) {
    auto page = bookings.ListConcerts(after, kConcertsPerPage, now);
    found = page.size();
    if (found > 0) after = page.back().id;
    for (auto& each : page) {
      const auto& details = each.details;
      if (details.listed || details.artist != kRehearsalArtist || !details.title.starts_with(kRehearsalTitle))
        continue;
      if (!last || each.created_at > last->created_at) last = std::move(each);
    }
  }
  return last;
}

Finding CheckPayment(const config::Config& config) {
  const auto& payment = config.payment;
  if (payment.provider == config::PaymentKind::kInstant)
    return {Health::kWarning, "payment", "instant: maejin records payments itself, and no money is taken"};
  const bool sandbox = payment.provider == config::PaymentKind::kSandbox;
  const auto address = sandbox ? std::optional(payment.sandbox) : payment.refund;
  if (!address)
    return {Health::kGood, "payment", "callback: the payment service calls, and polls for refunds"};
  const auto text = fmt::format("{}: {}", sandbox ? "sandbox" : "callback", address->ToString());
  if (!AcceptsConnections(*address)) return {Health::kBad, "payment", text + " accepts no connection"};
  if (sandbox) return {Health::kWarning, "payment", text + " accepts connections, but its money is not real"};
  return {Health::kGood, "payment", text + " accepts connections"};
}

Task<Outcome<std::vector<Finding>>> ExamineSale(const config::Config& config, const BackEnds::Ports& ports,
                                                ConcertId concert,
                                                std::optional<ConcertView> last_rehearsal) {
  const auto now = ports.clock.Now();
  const auto found = ports.bookings.FindConcert(concert, now);
  if (!found.ok()) co_return found.error();
  std::optional<RoomInfo> room;
  if (found->details.room != RoomKind::kNone) {
    const auto id = found->details.room == RoomKind::kMain ? RoomId(kMainRoom) : std::to_string(concert);
    auto read = co_await ports.rooms.Read(id, now);
    if (!read.ok()) co_return read.error();
    room = std::move(*read);
  }
  std::optional<RoomInfo> rehearsed;
  if (last_rehearsal) {
    auto read = co_await ports.rooms.Read(std::to_string(last_rehearsal->id), now);
    if (read.ok()) rehearsed = std::move(*read);
  }
  const auto webhooks = co_await ports.webhooks.List();
  if (!webhooks.ok()) co_return webhooks.error();
  std::vector<Finding> findings{
      CheckOpening(*found, TimeZone::Find(config.timezone).value(), now),
      CheckRoom(found->details, room),
      CheckRehearsal(last_rehearsal, rehearsed, room, now),
      CheckGate(found->details, room),
      CheckWebhooks(*webhooks, now),
  };
  co_return findings;
}

}  // namespace maejin::app
