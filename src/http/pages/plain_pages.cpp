#include "http/pages/plain_pages.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/ids.h"
#include "http/cookies.h"
#include "http/counted_address.h"

namespace maejin::http {
namespace {

constexpr std::string_view kFanCookie = "maejin-fan";
constexpr std::string_view kPlaceCookie = "maejin-place";

bool IsEventName(std::string_view text) {
  const auto plain = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); };
  return !text.empty() && text.size() <= 20 && std::all_of(text.begin(), text.end(), plain);
}

// The cookie is limited to the pages of its event.
void SetPlace(Response& response, std::string_view event, std::string_view token) {
  response.AddHeader("Set-Cookie", fmt::format("{}={}; Path=/events/{}; Max-Age={}; HttpOnly; SameSite=Lax",
                                               kPlaceCookie, token, event, token.empty() ? 0 : 86'400));
}

void RedirectToPage(Response& response, std::string_view event) {
  response.status = 303;
  response.AddHeader("Location", fmt::format("/events/{}?plain=1", event));
}

// "3–5 min": whole minutes, rounded up.
std::string WaitText(const std::optional<Eta>& eta, bool korean) {
  if (!eta) return korean ? "계산 중" : "Calculating…";
  const auto minutes = [](std::int64_t seconds) { return std::max<std::int64_t>(1, (seconds + 59) / 60); };
  const auto from = minutes(eta->p50_seconds);
  const auto to = std::max(from, minutes(eta->p90_seconds));
  const auto range = from == to ? fmt::format("{}", from) : fmt::format("{}–{}", from, to);
  return range + (korean ? "분" : " min");
}

std::string NoticeHtml(const std::shared_ptr<const std::string>& notice) {
  return notice && !notice->empty() ? "<p class=\"notice\">" + EscapeHtml(*notice) + "</p>" : "";
}

}  // namespace

PlainPages::PlainPages(PlainPagesParts parts, std::shared_ptr<const PageLibrary> library)
    : parts_(std::move(parts)),
      library_(std::move(library)),
      join_(parts_.room),
      poll_(parts_.room),
      enter_(parts_.room),
      leave_(parts_.room) {}

void PlainPages::ShowPlace(const PlaceReport& report, std::vector<PageText> texts, const Request& request,
                           Response& response) const {
  const bool korean = PageLanguage(request) == Language::kKorean;
  const auto& standing = report.answer.standing;
  if (standing.status == PlaceStatus::kEntered) {
    return library_->AnswerFilled("plain-entered.html", texts, request, response);
  }
  // Refreshes at the interval of a poll, but leaves the fan time to read the page.
  const auto again = std::clamp<std::int64_t>(standing.poll_after.count() / 1000, 3, 30);
  response.AddHeader("Refresh", std::to_string(again));
  if (standing.status == PlaceStatus::kReady) {
    return library_->AnswerFilled("plain-turn.html", texts, request, response);
  }
  texts.push_back({"ahead", standing.rank ? std::to_string(*standing.rank) : "–"});
  texts.push_back({"number", std::to_string(standing.number)});
  texts.push_back({"eta", WaitText(standing.eta, korean)});
  texts.push_back({"notice", NoticeHtml(report.answer.notice), true});
  texts.push_back({"updated", FormatTime(parts_.room.clock.Now())});
  library_->AnswerFilled("plain-waiting.html", texts, request, response);
}

Task<Outcome<Done>> PlainPages::Show(const Request& request, Response& response) const {
  const auto event = request.params[0];
  const auto concert = IsEventName(event) ? parts_.concert(event) : std::nullopt;
  if (!concert) co_return Refused(Refusal::kConcertNotFound, std::string(event));
  std::vector<PageText> texts = {{"page", concert->title},
                                 {"concert", concert->title},
                                 {"artist", concert->artist},
                                 {"venue", concert->venue},
                                 {"event", std::string(event)}};
  const auto token = FindCookie(request.Header("Cookie"), kPlaceCookie);
  if (!token.empty()) {
    VisitorCommand visitor{RoomId(concert->room), {}, std::string(token)};
    const auto place = co_await poll_(std::move(visitor));
    if (place.ok()) {
      ShowPlace(place->report, std::move(texts), request, response);
      co_return Done{};
    }
    SetPlace(response, event, "");
  }
  texts.push_back({"opens", concert->opens_at ? FormatTime(*concert->opens_at) : "–"});
  library_->AnswerFilled("plain-before.html", texts, request, response);
  co_return Done{};
}

RoomId PlainPages::RoomOfEvent(std::string_view event) const {
  const auto concert = parts_.concert(event);
  return RoomId(concert ? concert->room : event);
}

Task<Outcome<Done>> PlainPages::DoJoin(const Request& request, Response& response) const {
  const auto event = request.params[0];
  std::string fan(FindCookie(request.Header("Cookie"), kFanCookie));
  const bool fresh = !IsUserId(fan);
  if (fresh) fan = "fan-" + Id128::Random(random_).ToString();
  auto user = parts_.identity.Require(request, fan);
  if (!user.ok()) co_return user.error();
  JoinRequest join{RoomOfEvent(event), std::move(*user), CountedAddress(request)};
  const auto joined = co_await join_(std::move(join));
  if (!joined.ok()) co_return joined.error();
  if (fresh) {
    response.AddHeader(
        "Set-Cookie",
        fmt::format("{}={}; Path=/events; Max-Age=31536000; HttpOnly; SameSite=Lax", kFanCookie, fan));
  }
  SetPlace(response, event, joined->token);
  co_return Done{};
}

Task<Outcome<Done>> PlainPages::Act(const Request& request, Response& response) const {
  const auto event = request.params[0];
  if (!IsEventName(event)) co_return Refused(Refusal::kRoomNotFound, std::string(event));
  VisitorCommand visitor{
      RoomOfEvent(event), {}, std::string(FindCookie(request.Header("Cookie"), kPlaceCookie))};
  if (request.body == "do=join") {
    const auto joined = co_await DoJoin(request, response);
    if (!joined.ok()) co_return joined.error();
  } else if (request.body == "do=enter") {
    auto user = FindBesideToken(parts_.identity, request);
    if (!user.ok()) co_return user.error();
    if (!parts_.identity.trusted()) visitor.user = std::move(*user);
    const auto entered = co_await enter_(std::move(visitor), false);
    if (!entered.ok() && entered.error().why == Refusal::kUnavailable) co_return entered.error();
  } else if (request.body == "do=leave") {
    const auto left = co_await leave_(std::move(visitor));
    if (!left.ok() && left.error().why == Refusal::kUnavailable) co_return left.error();
    SetPlace(response, event, "");
  } else {
    co_return Refused(Refusal::kInvalidField, "do: must be join, enter or leave");
  }
  RedirectToPage(response, event);
  co_return Done{};
}

}  // namespace maejin::http
