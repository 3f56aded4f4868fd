#include "usecase/room_context.h"

namespace maejin {
namespace {

std::optional<Outlook> OutlookOf(const RoomContext& context, std::string_view room,
                                 const Standing& standing) {
  if (!context.booking || !standing.rank) return {};
  const auto concert = ConcertOf(room);
  if (!concert) return {};
  const auto stock = context.booking->StockAtOnce(*concert);
  if (!stock || stock->total <= 0) return {};
  return OutlookFor(stock->available, stock->held, *standing.rank);
}

}  // namespace

PlaceReport MakeReport(const RoomContext& context, std::string_view room, PlaceAnswer answer, Time now) {
  PlaceReport report;
  report.outlook = OutlookOf(context, room, answer.standing);
  if (answer.standing.ends_at) {
    report.expires_in =
        std::max<std::int64_t>((*answer.standing.ends_at - now + Millis{999}) / Seconds{1}, 0);
  }
  report.answer = std::move(answer);
  return report;
}

std::string TokenOf(const RoomContext& context, std::string_view room, std::string_view user,
                    const PlaceAnswer& answer) {
  std::string token;
  AppendPlaceToken(context.keys, {room, user, answer.standing.number, answer.epoch}, token);
  return token;
}

PlaceRef ToPlaceRef(const PlaceView& place) {
  return {RoomId(place.room), UserId(place.user), place.number, place.epoch};
}

}  // namespace maejin
