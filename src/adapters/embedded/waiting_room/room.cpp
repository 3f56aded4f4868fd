#include "adapters/embedded/waiting_room/room.h"

namespace maejin::embedded {

std::shared_ptr<const std::string> SharedNotice(const RoomSettings& settings) {
  return settings.notice.empty() ? nullptr : std::make_shared<const std::string>(settings.notice);
}

Room::Room(const RoomRow& row, Random& random)
    : id(row.id),
      name(row.name),
      epoch(row.epoch),
      line(row.settings, row.state, random),
      notice(SharedNotice(row.settings)),
      site(std::make_shared<const SiteSettings>(row.settings.site)),
      announced_state(row.state) {}

PlaceNumber Room::NumberOf(const PlaceView& place, const UserKey& user) const {
  if (place.number == 0) return line.Find(user);
  return place.epoch == epoch ? place.number : 0;
}

Ticket Room::PendingEntry(PlaceNumber number) const {
  const auto entry = entering.find(number);
  return entry == entering.end() ? 0 : entry->second;
}

PlaceAnswer Room::AnswerOf(Standing standing) const {
  return {standing, epoch, line.state(), notice, false, line.settings().token_ttl};
}

RoomInfo Room::Info() const {
  return {name, epoch, line.settings(), line.Summary(), line.last_number(), line.draws()};
}

}  // namespace maejin::embedded
