// Sends an admitted visitor back to the site with a return code, and exchanges the code for a pass.
#pragma once

#include <memory>

#include "base/random.h"
#include "domain/waiting_room/return_code.h"
#include "domain/waiting_room/return_url.h"
#include "usecase/room_context.h"

namespace maejin {

using SharedSite = std::shared_ptr<const SiteSettings>;

// Thread-safe.
class ReturnToSite {
 public:
  explicit ReturnToSite(RoomContext context) : context_(context) {}

  // The settings of a room towards sites. Refuses: kRoomNotFound, kUnavailable.
  Task<Outcome<SharedSite>> Find(RoomId room) const;
  // The same from memory. Null: Find() must decide.
  SharedSite FindAtOnce(std::string_view room) const { return context_.store.sites().SiteAtOnce(room); }
  // Returns `target`, or without one the first of returnUrls; absent: the room has no returnUrls. Refuses:
  // kReturnRefused (the room does not allow the target).
  static Outcome<std::optional<WebUrl>> Target(const SiteSettings& site,
                                               const std::optional<std::string>& target);
  // `target` with a new return code. The fan of `place` is inside; the site exchanges the code for a pass.
  std::string UrlWithCode(const PlaceRef& place, const WebUrl& target) const;

  struct Exchanged {
    std::string pass;
    std::int64_t max_age_seconds = 0;
    bool secure = false;  // the site is reached over https
  };
  // `sites`: the site's authorities that the request names, "shop.example:8443"; the code's origin must be
  // among them. Refuses: kReturnCodeInvalid (forged, expired, used, of another room or site, or the slot has
  // ended), kUnavailable.
  Task<Outcome<Exchanged>> Exchange(RoomId room, std::string code, std::vector<std::string> sites) const;

 private:
  RoomContext context_;
};

}  // namespace maejin
