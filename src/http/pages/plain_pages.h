// The waiting line without JavaScript: the server fills the page, the browser refreshes it, and cookies
// remember the fan and the place. The same verbs as the API, the same rules.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/random.h"
#include "domain/booking/picture.h"
#include "http/identity.h"
#include "http/pages/page_library.h"
#include "server/router.h"
#include "usecase/enter_room.h"
#include "usecase/join_room.h"
#include "usecase/leave_room.h"
#include "usecase/poll_room.h"

namespace maejin::http {

// The concert as the page shows it.
struct PlainConcert {
  std::string title;
  std::string artist;
  std::string venue;
  std::optional<Time> opens_at;
  std::string room;  // where its fans wait
  ConcertId id = 0;
  std::vector<Date> dates = {};  // that take place, in order
  Money price_from = 0;
  std::optional<PosterInfo> poster = {};
};
// Absent: no such concert. Never waits.
using FindPlainConcert = std::function<std::optional<PlainConcert>(std::string_view event)>;

// Everything here outlives the pages.
struct PlainPagesParts {
  RoomContext room;
  const Identity& identity;
  FindPlainConcert concert;
};

// Thread-safe.
class PlainPages {
 public:
  PlainPages(PlainPagesParts parts, std::shared_ptr<const PageLibrary> library);

  // GET /events/{eventId}?plain=1
  Task<Outcome<Done>> Show(const Request& request, Response& response) const;
  // POST /events/{eventId}/plain, a form with do=join|enter|leave; sends the browser back to the page.
  Task<Outcome<Done>> Act(const Request& request, Response& response) const;

 private:
  RoomId RoomOfEvent(std::string_view event) const;
  Task<Outcome<Done>> DoJoin(const Request& request, Response& response) const;
  void ShowPlace(const PlaceReport& report, std::vector<PageText> texts, const Request& request,
                 Response& response) const;

  PlainPagesParts parts_;
  std::shared_ptr<const PageLibrary> library_;
  JoinRoom join_;
  PollRoom poll_;
  EnterRoom enter_;
  LeaveRoom leave_;
  mutable SystemRandom random_;
};

}  // namespace maejin::http
