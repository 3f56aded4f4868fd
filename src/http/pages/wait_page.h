// The waiting page of a room: opening it joins the line, and at the turn it sends the browser back to the
// site with a return code. Works without JavaScript: the browser refreshes the page, and the server does the
// rest.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "http/identity.h"
#include "http/pages/page_library.h"
#include "http/pages/plain_parts.h"
#include "server/router.h"
#include "usecase/enter_room.h"
#include "usecase/join_room.h"
#include "usecase/poll_room.h"
#include "usecase/return_to_site.h"

namespace maejin::http {

// Thread-safe.
class WaitPage {
 public:
  WaitPage(PlainPagesParts parts, std::shared_ptr<const PageLibrary> library);

  // GET /wait/{room}?return=URL. Refuses: kRoomNotFound, kReturnRefused, kUnavailable.
  Task<Outcome<Done>> Show(const Request& request, Response& response) const;

 private:
  struct Visit {
    RoomId room;
    SharedSite site;
    std::optional<WebUrl> target;
    std::string token;  // empty: the visitor has no place
  };
  // The visitor's place: the one of its cookie, or a new one. Refuses: as JoinRoom, and kUnauthorized (only
  // the page's script can prove the user).
  Task<Outcome<PlaceReport>> FindPlace(Visit* visit, const Request& request, Response& response) const;
  Task<Outcome<TokenReport>> Join(const Visit* visit, const Request& request, Response& response) const;
  void Render(const Visit& visit, const PlaceReport* place, const Request& request, Response& response) const;
  void Explain(const Visit& visit, const Refused& refused, const Request& request, Response& response) const;
  std::vector<PageText> Texts(const Visit& visit) const;

  PlainPagesParts parts_;
  std::shared_ptr<const PageLibrary> library_;
  JoinRoom join_;
  PollRoom poll_;
  EnterRoom enter_;
  ReturnToSite back_;
};

}  // namespace maejin::http
