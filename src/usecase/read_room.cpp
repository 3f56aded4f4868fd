#include "usecase/read_room.h"

#include <algorithm>
#include <tuple>

namespace maejin {
namespace {

void CountBypassed(const RoomContext& context, std::string_view room, Serving& serving, Time now) {
  if (context.emergency != nullptr) serving.bypassed = context.emergency->CountStays(room, now);
}

}  // namespace

Task<Outcome<RoomInfo>> ReadRoom::operator()(RoomId room) const {
  const auto now = context_.clock.Now();
  auto info = co_await context_.store.Read(std::move(room), now);
  if (info.ok()) CountBypassed(context_, info->room, info->serving, now);
  co_return info;
}

std::optional<Outcome<Serving>> ReadRoom::ServingAtOnce(std::string_view room) const {
  const auto now = context_.clock.Now();
  auto serving = context_.store.ServingAtOnce(room, now);
  if (serving && serving->ok()) CountBypassed(context_, room, **serving, now);
  return serving;
}

Task<Outcome<Serving>> ReadRoom::ReadServing(RoomId room) const {
  const auto now = context_.clock.Now();
  auto serving = co_await context_.store.ReadServing(room, now);
  if (serving.ok()) CountBypassed(context_, room, *serving, now);
  co_return serving;
}

std::vector<RoomId> ReadRoom::Rooms() const {
  auto rooms = context_.store.Rooms();
  // A store may create `main` at its first request.
  if (std::ranges::find(rooms, kMainRoom) == rooms.end()) rooms.emplace_back(kMainRoom);
  const auto order = [](const RoomId& room) {
    const auto concert = ConcertOf(room);
    return std::tuple(room != kMainRoom, !concert, concert.value_or(0), std::string_view(room));
  };
  std::ranges::sort(rooms, std::less<>(), order);
  return rooms;
}

std::vector<RoomStats> ReadRoom::Stats() const {
  const auto now = context_.clock.Now();
  auto rooms = context_.store.Stats();
  for (auto& each : rooms) CountBypassed(context_, each.room, each.serving, now);
  return rooms;
}

std::optional<Time> ReadRoom::BypassedUntil(std::string_view room) const {
  if (context_.emergency == nullptr) return {};
  const auto bypass = context_.emergency->BypassAtOnce(room, context_.clock.Now());
  if (!bypass) return {};
  return bypass->ends_at;
}

}  // namespace maejin
