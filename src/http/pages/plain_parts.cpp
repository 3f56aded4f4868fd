#include "http/pages/plain_parts.h"

#include <fmt/format.h>

#include "base/ids.h"
#include "base/random.h"
#include "base/take_until.h"
#include "base/url.h"
#include "http/cookies.h"
#include "http/pages/page_words.h"
#include "http/picture_url.h"
#include "http/problem.h"
#include "http/site_address.h"

namespace maejin::http {
namespace {

constexpr std::string_view kFanCookie = "maejin_fan";

}  // namespace

std::string LocalTime(const TimeZone& zone, Time at) {
  return fmt::format("{} ({})", zone.FormatMinute(at), zone.name());
}

std::optional<std::string> FormField(std::string_view form, std::string_view name) {
  while (!form.empty()) {
    const auto field = TakeUntil(form, '&');
    const auto equals = field.find('=');
    if (equals == std::string_view::npos || field.substr(0, equals) != name) continue;
    std::string value;
    if (PercentDecode(field.substr(equals + 1), true, value)) return value;
  }
  return {};
}

Outcome<UserId> PlainFan(const PlainPagesParts& parts, const Request& request, Response& response) {
  std::string fan(FindCookie(request.Header("Cookie"), kFanCookie));
  const bool fresh = !IsUserId(fan);
  if (fresh) {
    SystemRandom random;
    fan = "fan-" + Id128::Random(random).ToString();
  }
  auto user = parts.identity.Require(request, fan);
  if (!user.ok() || !fresh) return user;
  const bool secure = PublicOrigin(request, parts.public_url).starts_with("https:");
  response.AddHeader(
      "Set-Cookie", fmt::format("{}={}; Path=/events; Max-Age=31536000; HttpOnly; SameSite=Lax{}", kFanCookie,
                                fan, secure ? "; Secure" : ""));
  return user;
}

Outcome<Done> CheckForm(const PlainPagesParts& parts, const Request& request) {
  const bool says = !request.Header("Origin").empty() || !request.Header("Sec-Fetch-Site").empty();
  if (says && !IsOwnPage(request, parts.public_url))
    return Refused(Refusal::kForbidden, "the form is not of a page of this server");
  return Done{};
}

ConcertLook LookOf(const PlainConcert& concert) {
  ConcertLook look{concert.color, concert.organizer, {}};
  if (concert.logo) {
    look.logo = {PictureUrl(PictureKind::kLogo, concert.id, concert.logo->version), concert.logo->width,
                 concert.logo->height};
  }
  return look;
}

std::string OrganizerText(const PlainConcert& concert, Language language) {
  if (!concert.organizer) return {};
  return " · " + fmt::format(fmt::runtime(WordsIn(language).presented_by), *concert.organizer);
}

std::vector<PageText> TextsOf(const PlainConcert& concert, const Request& request,
                              const PageLibrary& library) {
  auto texts = library.LookOf(LookOf(concert));
  texts.push_back({"page", concert.title});
  texts.push_back({"concert", concert.title});
  texts.push_back({"artist", concert.artist});
  texts.push_back({"venue", concert.venue + OrganizerText(concert, PageLanguage(request))});
  texts.push_back({"event", std::string(request.params[0])});
  const auto* problem = FindProblem(request.Query("why").value_or(""));
  if (!problem) return texts;
  const auto detail = EscapeHtml(problem->DetailIn(PageLanguage(request)));
  texts.push_back({"trouble", "<p class=\"notice\" role=\"alert\">" + detail + "</p>", true});
  return texts;
}

void SendTo(Response& response, std::string_view event, std::string_view path, std::string_view why) {
  response.status = 303;
  response.AddHeader("Location",
                     fmt::format("/events/{}{}?plain=1{}{}", event, path, why.empty() ? "" : "&why=", why));
}

bool IsAboutState(Refusal why) {
  return StatusOf(why) == 409 || why == Refusal::kPassRequired || why == Refusal::kTokenInvalid ||
         why == Refusal::kNotQueued || why == Refusal::kTooManySeats;
}

}  // namespace maejin::http
