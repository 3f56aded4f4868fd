// What the pages without JavaScript share: the concert, the fan's cookie, and answers to forms.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time_zone.h"
#include "domain/booking/concert_life.h"
#include "domain/booking/picture.h"
#include "http/identity.h"
#include "http/pages/page_library.h"
#include "usecase/room_context.h"

namespace maejin::http {

// A date that takes place.
struct PlainDate {
  ScheduleId id = 0;
  Date date{};
  std::optional<Time> starts_at = {};
  std::int64_t available = 0;
  bool ended = false;  // the date's sale has ended
};

// The concert as the page shows it.
struct PlainConcert {
  std::string title;
  std::string artist;
  std::string venue;
  std::optional<Time> opens_at;
  std::string room;  // where its fans wait
  ConcertId id = 0;
  std::vector<PlainDate> shows = {};  // in order
  Money price_from = 0;
  std::optional<StoredPicture> poster = {};
  bool has_room = true;        // false: fans book without waiting
  std::int64_t max_seats = 0;  // of one customer; 0: no limit
  ConcertStatus status = ConcertStatus::kScheduled;
  // The organiser's; absent: the server's.
  std::optional<Color> color = {};
  std::optional<std::string> organizer = {};
  std::optional<StoredPicture> logo = {};
};
ConcertLook LookOf(const PlainConcert& concert);
// " · Presented by …"; empty without an organiser of its own.
std::string OrganizerText(const PlainConcert& concert, Language language);
// Absent: no such concert. Never waits.
using FindPlainConcert = std::function<std::optional<PlainConcert>(std::string_view event)>;

// Everything here outlives the pages.
struct PlainPagesParts {
  RoomContext room;
  const Identity& identity;
  FindPlainConcert concert;
  TimeZone zone;           // of the times on the pages
  std::string public_url;  // maejin's address as browsers see it; empty: unknown
};

// The cookie of the place in line, limited to the pages of its event.
inline constexpr std::string_view kPlainPlaceCookie = "maejin_place";

// "2027-05-01 19:00 (Asia/Seoul)".
std::string LocalTime(const TimeZone& zone, Time at);
// A field of a form; absent where the form has none.
std::optional<std::string> FormField(std::string_view form, std::string_view name);

// The cookie names the fan of a browser without JavaScript; a browser without the cookie gets a new fan and
// its cookie. Refuses: as Identity::Require(); signed users cannot prove themselves without a script.
Outcome<UserId> PlainFan(const PlainPagesParts& parts, const Request& request, Response& response);

// Refuses kForbidden where another site's page sent the form. A browser without Origin and Sec-Fetch-Site is
// accepted: cookies here are SameSite=Lax.
Outcome<Done> CheckForm(const PlainPagesParts& parts, const Request& request);

// The texts that all plain pages of a concert have; ?why= is the code of the refusal that led here.
std::vector<PageText> TextsOf(const PlainConcert& concert, const Request& request,
                              const PageLibrary& library);

// Sends the browser to a page of the event; the path "" is the page of the line. `why`: the code of a refusal
// that the page shows.
void SendTo(Response& response, std::string_view event, std::string_view path, std::string_view why = {});
// True: a page that shows the current state explains this refusal better than an error page does.
bool IsAboutState(Refusal why);

}  // namespace maejin::http
