#include "usecase/room_context.h"

namespace maejin {
namespace {

std::optional<Stock> StockOf(const RoomContext& context, std::string_view room, Time now) {
  const auto concert = context.booking ? ConcertOf(room) : std::nullopt;
  if (!concert) return {};
  return context.booking->StockAtOnce(*concert, now);
}

std::optional<Outlook> OutlookOf(const std::optional<Stock>& stock, const Standing& standing) {
  if (!stock || !standing.rank) return {};
  if (stock->end == SaleEnd::kSoldOut) return Outlook::kSoldOut;
  if (stock->total <= 0) return {};
  return OutlookFor(stock->available, stock->held, *standing.rank);
}

// The reason of the concert, if it has one. A room that is closed without such a reason is kClosed.
SaleEnd EndOf(const std::optional<Stock>& stock, RoomState state) {
  const auto end = stock ? stock->end : SaleEnd::kNone;
  return end == SaleEnd::kNone && state == RoomState::kClosed ? SaleEnd::kClosed : end;
}

}  // namespace

Task<Outcome<Done>> CheckProbe(const RoomContext& context, const RoomPatch& patch) {
  if (!context.probe || !patch.floating || !*patch.floating) co_return Done{};
  auto url = (*patch.floating)->health_url;
  auto checked = co_await context.probe->CheckTarget(std::move(url));
  co_return checked;
}

SaleEnd EndOfRoom(const RoomContext& context, std::string_view room, RoomState state, Time now) {
  return EndOf(StockOf(context, room, now), state);
}

Refused WithReturns(const RoomContext& context, std::string_view room, Refused refused, Time now) {
  if (refused.why != Refusal::kSoldOut) return refused;
  const auto stock = StockOf(context, room, now);
  refused.may_return = stock && stock->held > 0;
  return refused;
}

PlaceReport MakeReport(const RoomContext& context, std::string_view room, PlaceAnswer answer, Time now) {
  PlaceReport report;
  const auto stock = StockOf(context, room, now);
  report.outlook = OutlookOf(stock, answer.standing);
  report.ended = EndOf(stock, answer.state);
  const auto seconds_to = [now](Time at) {
    return std::max<std::int64_t>((at - now + Millis{999}) / Seconds{1}, 0);
  };
  if (answer.standing.ends_at) report.expires_in = seconds_to(*answer.standing.ends_at);
  if (answer.standing.status == PlaceStatus::kEntered)
    report.session_ends_in = seconds_to(answer.standing.session_ends_at);
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
