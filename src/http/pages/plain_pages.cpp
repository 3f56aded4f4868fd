#include "http/pages/plain_pages.h"

#include <algorithm>

#include <fmt/format.h>

#include "http/cookies.h"
#include "http/counted_address.h"
#include "http/pages/page_words.h"
#include "http/site_address.h"

namespace maejin::http {
namespace {

bool IsEventName(std::string_view text) {
  const auto plain = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); };
  return !text.empty() && text.size() <= 20 && std::all_of(text.begin(), text.end(), plain);
}

// The cookie is limited to the pages of its event.
void SetPlace(const Request& request, std::string_view event, std::string_view token, Response& response) {
  const int max_age = token.empty() ? 0 : 86'400;
  response.AddHeader("Set-Cookie",
                     fmt::format("{}={}; Path=/events/{}; Max-Age={}; HttpOnly; SameSite=Lax{}",
                                 kPlainPlaceCookie, token, event, max_age, SecureAttribute(request)));
}

// "3–5 min": whole minutes, rounded up.
std::string WaitText(const std::optional<Eta>& eta, Language language) {
  const auto& words = WordsIn(language);
  if (!eta) return std::string(words.calculating);
  const auto minutes = [](std::int64_t seconds) { return std::max<std::int64_t>(1, (seconds + 59) / 60); };
  const auto from = minutes(eta->p50_seconds);
  const auto to = std::max(from, minutes(eta->p90_seconds));
  const auto range = from == to ? fmt::format("{}", from) : fmt::format("{}–{}", from, to);
  return fmt::format(fmt::runtime(words.minutes), range);
}

// "3:07".
std::string MinutesText(std::int64_t seconds) { return fmt::format("{}:{:02}", seconds / 60, seconds % 60); }

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

void PlainPages::ShowEnd(SaleEnd end, std::vector<PageText> texts, const Request& request,
                         Response& response) const {
  library_->AnswerFilled(fmt::format("plain-{}.html", Name(end)), texts, request, response);
}

void PlainPages::ShowPlace(const PlaceReport& report, SaleEnd sale, std::vector<PageText> texts,
                           const Request& request, Response& response) const {
  const auto& standing = report.answer.standing;
  const auto end = report.ended == SaleEnd::kNone ? sale : report.ended;
  if (standing.status == PlaceStatus::kEntered) {
    if (end != SaleEnd::kNone) return ShowEnd(end, std::move(texts), request, response);
    return library_->AnswerFilled("plain-entered.html", texts, request, response);
  }
  // Refreshes at the interval of a poll, but leaves the fan time to read the page.
  const auto again = std::clamp<std::int64_t>(standing.poll_after.count() / 1000, 3, 30);
  response.AddHeader("Refresh", std::to_string(again));
  texts.push_back({"number", std::to_string(standing.number)});
  // All seats are paid: the place is kept, because a seat may return.
  if (end == SaleEnd::kSoldOut) return library_->AnswerFilled("plain-kept.html", texts, request, response);
  if (end != SaleEnd::kNone) return ShowEnd(end, std::move(texts), request, response);
  if (standing.status == PlaceStatus::kReady) {
    texts.push_back({"left", MinutesText(report.expires_in.value_or(0))});
    return library_->AnswerFilled("plain-turn.html", texts, request, response);
  }
  const auto state = report.answer.state;
  texts.push_back({"notice", NoticeHtml(report.answer.notice), true});
  texts.push_back({"updated", LocalTime(parts_.zone, parts_.room.clock.Now())});
  // Before a draw there is no position.
  if (!standing.rank && (state == RoomState::kPreQueue || state == RoomState::kScheduled))
    return library_->AnswerFilled("plain-lobby.html", texts, request, response);
  texts.push_back({"ahead", standing.rank ? std::to_string(*standing.rank) : "–"});
  texts.push_back({"eta", WaitText(standing.eta, PageLanguage(request))});
  library_->AnswerFilled(state == RoomState::kPaused ? "plain-paused.html" : "plain-waiting.html", texts,
                         request, response);
}

Task<Outcome<Done>> PlainPages::Show(const Request& request, Response& response) const {
  const auto event = request.params[0];
  const auto concert = IsEventName(event) ? parts_.concert(event) : std::nullopt;
  if (!concert) co_return Refused(Refusal::kConcertNotFound, std::string(event));
  auto texts = TextsOf(*concert, request, *library_);
  texts.push_back({"opens", concert->opens_at ? LocalTime(parts_.zone, *concert->opens_at) : "–"});
  const auto token = FindCookie(request.Header("Cookie"), kPlainPlaceCookie);
  if (!token.empty()) {
    VisitorCommand visitor{RoomId(concert->room), {}, std::string(token)};
    const auto place = co_await poll_(std::move(visitor));
    if (place.ok()) {
      ShowPlace(place->report, SaleEndOf(concert->status), std::move(texts), request, response);
      co_return Done{};
    }
    SetPlace(request, event, "", response);
  }
  if (const auto end = SaleEndOf(concert->status); end != SaleEnd::kNone) {
    ShowEnd(end, std::move(texts), request, response);
    co_return Done{};
  }
  const bool open = concert->status != ConcertStatus::kScheduled;
  library_->AnswerFilled(open                ? "plain-open.html"
                         : concert->opens_at ? "plain-before.html"
                                             : "plain-undated.html",
                         texts, request, response);
  co_return Done{};
}

RoomId PlainPages::RoomOfEvent(std::string_view event) const {
  const auto concert = parts_.concert(event);
  return RoomId(concert ? concert->room : event);
}

Task<Outcome<Done>> PlainPages::DoJoin(const Request& request, Response& response) const {
  const auto event = request.params[0];
  auto user = PlainFan(parts_, request, response);
  if (!user.ok()) co_return user.error();
  JoinRequest join{RoomOfEvent(event), std::move(*user), CountedAddress(request)};
  const auto joined = co_await join_(std::move(join));
  if (!joined.ok()) co_return joined.error();
  SetPlace(request, event, joined->token, response);
  co_return Done{};
}

Task<Outcome<Done>> PlainPages::Act(const Request& request, Response& response) const {
  const auto event = request.params[0];
  if (!IsEventName(event)) co_return Refused(Refusal::kRoomNotFound, std::string(event));
  if (const auto own = CheckForm(parts_, request); !own.ok()) co_return own.error();
  VisitorCommand visitor{
      RoomOfEvent(event), {}, std::string(FindCookie(request.Header("Cookie"), kPlainPlaceCookie))};
  std::string_view why;
  if (request.body == "do=join") {
    const auto concert = parts_.concert(event);
    if (concert && !concert->has_room) {
      SendTo(response, event, "/seats");
      co_return Done{};
    }
    const auto joined = co_await DoJoin(request, response);
    if (!joined.ok() && !IsAboutState(joined.error().why)) co_return joined.error();
    if (!joined.ok()) why = Code(joined.error().why);
  } else if (request.body == "do=enter") {
    auto user = FindBesideToken(parts_.identity, request);
    if (!user.ok()) co_return user.error();
    if (!parts_.identity.trusted()) visitor.user = std::move(*user);
    const auto entered = co_await enter_(std::move(visitor), false);
    if (!entered.ok() && entered.error().why == Refusal::kUnavailable) co_return entered.error();
  } else if (request.body == "do=leave") {
    const auto left = co_await leave_(std::move(visitor));
    if (!left.ok() && left.error().why == Refusal::kUnavailable) co_return left.error();
    SetPlace(request, event, "", response);
  } else {
    co_return Refused(Refusal::kInvalidField, "do: must be join, enter or leave");
  }
  SendTo(response, event, "", why);
  co_return Done{};
}

}  // namespace maejin::http
