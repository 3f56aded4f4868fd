#include "domain/waiting_room/draws.h"

#include <span>
#include <utility>

namespace maejin {

Draws::Draws(std::vector<Draw> stored) : draws_(std::move(stored)) {
  for (const auto& draw : draws_) {
    if (draw.drawn()) orders_.push_back({draw.first, Shuffle(draw.seed, draw.count)});
  }
}

Draws::Step Draws::StepAt(RoomState from, RoomState to, PreQueueOrder order) const {
  if (from == to) return Step::kNone;
  const bool undrawn = UndrawnFrom() != 0;
  if (undrawn && to != RoomState::kPreQueue && to != RoomState::kScheduled) return Step::kFinish;
  const bool begins = !undrawn && to == RoomState::kPreQueue && order == PreQueueOrder::kDraw;
  return begins ? Step::kBegin : Step::kNone;
}

void Draws::Begin(PlaceNumber first, Random& random) {
  Draw draw;
  draw.first = first;
  random.Fill(std::as_writable_bytes(std::span{draw.seed}));
  draw.commitment = Commitment(draw.seed);
  draws_.push_back(std::move(draw));
}

void Draws::Finish(PlaceNumber last_number) {
  auto& draw = draws_.back();
  draw.count = last_number + 1 - draw.first;
  const Shuffle shuffle(draw.seed, draw.count);
  draw.order_digest = OrderDigest(shuffle);
  orders_.push_back({draw.first, shuffle});
}

Line::Index Draws::IndexOf(PlaceNumber number) const {
  for (const auto& drawn : orders_) {
    if (number < drawn.first || number - drawn.first >= drawn.shuffle.count()) continue;
    return drawn.first - 1 + drawn.shuffle.PositionOf(number - drawn.first);
  }
  return number - 1;
}

PlaceNumber Draws::NumberAt(Line::Index index) const {
  for (const auto& drawn : orders_) {
    const auto first_index = drawn.first - 1;
    if (index < first_index || index - first_index >= drawn.shuffle.count()) continue;
    return drawn.first + drawn.shuffle.ArrivalAt(index - first_index);
  }
  return index + 1;
}

}  // namespace maejin
