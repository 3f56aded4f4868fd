// The waiting line without JavaScript: the server fills the page, the browser refreshes it, and cookies
// remember the fan and the place. The pages use the same use cases as the API, so the same rules hold.
#pragma once

#include <memory>
#include <string>

#include "http/pages/plain_parts.h"
#include "server/router.h"
#include "usecase/enter_room.h"
#include "usecase/join_room.h"
#include "usecase/leave_room.h"
#include "usecase/poll_room.h"

namespace maejin::http {

// Thread-safe.
class PlainPages {
 public:
  PlainPages(PlainPagesParts parts, std::shared_ptr<const PageLibrary> library);

  // GET /events/{eventId}?plain=1
  Task<Outcome<Done>> Show(const Request& request, Response& response) const;
  // POST /events/{eventId}/plain, a form with do=join|enter|leave; sends the browser back to the page.
  // Refuses: kForbidden (another site's form), kInvalidField, and errors of the verbs that no page explains.
  Task<Outcome<Done>> Act(const Request& request, Response& response) const;

 private:
  RoomId RoomOfEvent(std::string_view event) const;
  Task<Outcome<Done>> DoJoin(const Request& request, Response& response) const;
  // Shows that the concert is sold out, closed or cancelled.
  void ShowEnd(SaleEnd end, std::vector<PageText> texts, const Request& request, Response& response) const;
  // `sale`: why the concert sells nothing, by its status.
  void ShowPlace(const PlaceReport& report, SaleEnd sale, std::vector<PageText> texts, const Request& request,
                 Response& response) const;

  PlainPagesParts parts_;
  std::shared_ptr<const PageLibrary> library_;
  JoinRoom join_;
  PollRoom poll_;
  EnterRoom enter_;
  LeaveRoom leave_;
};

}  // namespace maejin::http
