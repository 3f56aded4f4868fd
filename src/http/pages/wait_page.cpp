#include "http/pages/wait_page.h"

#include <algorithm>

#include <fmt/format.h>

#include "http/cookies.h"
#include "http/counted_address.h"
#include "http/problem.h"
#include "http/site_address.h"
#include "http/visitor_cookie.h"

namespace maejin::http {
namespace {

constexpr std::string_view kWaitPlaceCookie = "maejin_place";

void KeepPlace(const Request& request, std::string_view room, std::string_view token, Response& response) {
  response.AddHeader("Set-Cookie",
                     fmt::format("{}={}; Path=/wait/{}; Max-Age=86400; HttpOnly; SameSite=Lax{}",
                                 kWaitPlaceCookie, token, room, SecureAttribute(request)));
}

bool MayEnter(const PlaceReport& place) { return place.answer.standing.status != PlaceStatus::kWaiting; }

std::string ShownNumber(const std::optional<std::uint32_t>& number) {
  return number ? std::to_string(*number) : "–";
}

std::string ShownMinutes(const std::optional<Eta>& eta) {
  if (!eta) return "–";
  return std::to_string(std::max<std::int64_t>(1, (eta->p90_seconds + 59) / 60));
}

}  // namespace

WaitPage::WaitPage(PlainPagesParts parts, std::shared_ptr<const PageLibrary> library)
    : parts_(std::move(parts)),
      library_(std::move(library)),
      join_(parts_.room),
      poll_(parts_.room),
      enter_(parts_.room),
      back_(parts_.room) {}

// A request for a page names no user. So where users are trusted, a visitor of a room for users also gets a
// random id.
Task<Outcome<TokenReport>> WaitPage::Join(const Visit* visit, const Request& request,
                                          Response& response) const {
  const bool anonymous = visit->site->visitors == Visitors::kAnonymous || parts_.identity.trusted();
  if (!anonymous) co_return Refusal::kUnauthorized;
  auto user = AnonymousIn(request);
  if (user.empty()) user = NewAnonymous(request, response);
  JoinRequest join{visit->room, std::move(user), CountedAddress(request)};
  auto joined = co_await join_(std::move(join));
  if (joined.ok()) KeepPlace(request, visit->room, joined->token, response);
  co_return joined;
}

Task<Outcome<PlaceReport>> WaitPage::FindPlace(Visit* visit, const Request& request,
                                               Response& response) const {
  visit->token = FindCookie(request.Header("Cookie"), kWaitPlaceCookie);
  if (!visit->token.empty()) {
    VisitorCommand visitor{visit->room, {}, visit->token};
    auto polled = co_await poll_(std::move(visitor));
    if (polled.ok()) co_return std::move(polled->report);
    if (polled.error() == Refusal::kUnavailable) co_return polled.error();
  }
  visit->token.clear();
  auto joined = co_await Join(visit, request, response);
  if (!joined.ok()) co_return joined.error();
  visit->token = std::move(joined->token);
  co_return std::move(joined->report);
}

std::vector<PageText> WaitPage::Texts(const Visit& visit) const {
  auto title = visit.site->title;
  if (const auto concert = title.empty() ? parts_.concert(visit.room) : std::nullopt) title = concert->title;
  if (title.empty()) title = visit.target ? visit.target->Authority() : visit.room;
  return {{"page", title},
          {"title", title},
          {"room", visit.room},
          {"token", visit.token},
          {"host", visit.target ? visit.target->Authority() : ""}};
}

void WaitPage::Render(const Visit& visit, const PlaceReport* place, const Request& request,
                      Response& response) const {
  auto texts = Texts(visit);
  if (place) {
    const auto& standing = place->answer.standing;
    texts.push_back({"status", std::string(Name(standing.status))});
    texts.push_back({"ahead", ShownNumber(standing.rank)});
    texts.push_back({"number", std::to_string(standing.number)});
    texts.push_back({"eta", ShownMinutes(standing.eta)});
    if (place->answer.notice) texts.push_back({"notice", *place->answer.notice});
  }
  library_->AnswerFilled("wait.html", texts, request, response);
}

// A visitor that cannot join gets a page with the reason, which refreshes itself.
void WaitPage::Explain(const Visit& visit, const Refused& refused, const Request& request,
                       Response& response) const {
  const auto* problem = FindProblem(Code(refused.why));
  auto texts = Texts(visit);
  texts.push_back({"reason", std::string(problem->DetailIn(PageLanguage(request)))});
  library_->AnswerFilled("wait-refused.html", texts, request, response);
  response.status = problem->status;
  response.refusal = refused.why;
  response.AddHeader("Refresh", "5");
}

Task<Outcome<Done>> WaitPage::Show(const Request& request, Response& response) const {
  Visit visit{RoomId(request.params[0]), {}, {}, {}};
  if (visit.room.size() > kMaxRoomName) co_return Refused{Refusal::kRoomNotFound, visit.room};
  auto site = co_await back_.Find(visit.room);
  if (!site.ok()) co_return site.error();
  visit.site = std::move(*site);
  auto target = ReturnToSite::Target(*visit.site, request.Query("return"));
  if (!target.ok()) co_return target.error();
  visit.target = std::move(*target);
  if (request.method == Method::kHead || !OpensPage(request, library_->may_be_framed())) {
    Render(visit, nullptr, request, response);
    co_return Done{};
  }
  auto place = co_await FindPlace(&visit, request, response);
  if (!place.ok()) {
    if (place.error() == Refusal::kUnavailable) co_return place.error();
    if (place.error() == Refusal::kUnauthorized) {
      Render(visit, nullptr, request, response);
    } else {
      Explain(visit, place.error(), request, response);
    }
    co_return Done{};
  }
  if (visit.target && MayEnter(*place)) {
    VisitorCommand visitor{visit.room, {}, visit.token};
    const auto entered = co_await enter_(std::move(visitor), false);
    PlaceToken token;
    if (entered.ok() && token.Read(parts_.room.keys, entered->token)) {
      response.AddHeader("Location", back_.UrlWithCode(ToPlaceRef(token.place()), *visit.target));
      response.AddHeader("Referrer-Policy", "no-referrer");
      response.status = 303;
      co_return Done{};
    }
  }
  Render(visit, &*place, request, response);
  co_return Done{};
}

}  // namespace maejin::http
