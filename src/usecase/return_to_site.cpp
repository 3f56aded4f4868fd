#include "usecase/return_to_site.h"

#include <algorithm>

#include "domain/waiting_room/pass.h"
#include "usecase/bypass_room.h"

namespace maejin {

Task<Outcome<SharedSite>> ReturnToSite::Find(RoomId room) const {
  if (auto site = FindAtOnce(room)) co_return site;
  const auto info = co_await context_.store.Read(std::move(room), context_.clock.Now());
  if (!info.ok()) co_return info.error();
  co_return std::make_shared<const SiteSettings>(info->settings.site);
}

Outcome<std::optional<WebUrl>> ReturnToSite::Target(const SiteSettings& site,
                                                    const std::optional<std::string>& target) {
  if (!target) {
    if (site.return_urls.empty()) return std::optional<WebUrl>{};
    return ParseWebUrl(site.return_urls.front());
  }
  auto allowed = FindAllowed(site.return_urls, *target);
  if (!allowed) return Refusal::kReturnRefused;
  return allowed;
}

std::string ReturnToSite::UrlWithCode(const PlaceRef& place, const WebUrl& target) const {
  SystemRandom random;
  const ReturnCode code{Id128::Random(random),
                        place.room,
                        place.user,
                        place.number,
                        place.epoch,
                        target.Origin(),
                        context_.clock.Now() + kReturnCodeLife};
  return WithParameter(target, "maejin_return", WriteReturnCode(context_.keys, code));
}

// UseCode() comes last, so that a failure before it leaves the code usable.
Task<Outcome<ReturnToSite::Exchanged>> ReturnToSite::Exchange(RoomId room, std::string text,
                                                              std::vector<std::string> sites) const {
  const auto now = context_.clock.Now();
  const auto code = ReadReturnCode(context_.keys, text, now);
  const auto origin = code ? ParseWebUrl(code->origin) : std::nullopt;
  if (!origin || code->room != room || std::ranges::find(sites, origin->Authority()) == sites.end())
    co_return Refusal::kReturnCodeInvalid;
  PlaceRef place{room, code->user, code->number, code->epoch};
  auto inside = co_await context_.store.CheckInside(place, now);
  if (!inside.ok() && MayBypass(context_, now)) {
    const auto stay = co_await context_.emergency->FindStay(room, code->user, now);
    if (stay.ok() && *stay) inside = InsideAnswer(**stay, inside, now);
  }
  if (!inside.ok() && inside.error() == Refusal::kUnavailable) co_return inside.error();
  if (!inside.ok()) co_return Refusal::kReturnCodeInvalid;
  const auto first = co_await context_.store.sites().UseCode(code->id, code->expires_at, now);
  if (!first.ok()) co_return first.error();
  if (!*first) co_return Refusal::kReturnCodeInvalid;
  const auto& standing = inside->standing;
  const Pass pass{
      room, code->user, inside->epoch, standing.number, standing.entered_at, standing.session_ends_at};
  const auto left = std::max<std::int64_t>((standing.session_ends_at - now) / Seconds{1}, 1);
  co_return Exchanged{WritePass(context_.keys, pass), left, origin->scheme == "https"};
}

}  // namespace maejin
