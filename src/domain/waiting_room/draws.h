// The draws of one room: the shuffled order of every pre-queue it has had. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "domain/waiting_room/line.h"
#include "domain/waiting_room/places.h"
#include "domain/waiting_room/settings.h"
#include "domain/waiting_room/shuffle.h"

namespace maejin {

// One draw, of the places that joined in one pre-queue: the numbers first … first + count - 1.
struct Draw {
  PlaceNumber first = 1;
  std::uint32_t count = 0;  // 0 until the opening
  ShuffleSeed seed{};
  std::string commitment;
  std::string order_digest;  // empty until the opening
  bool drawn() const { return !order_digest.empty(); }
};

// Converts between a place's number and its index in the line. Without a draw, number n has index n - 1.
class Draws {
 public:
  Draws() = default;
  explicit Draws(std::vector<Draw> stored);

  // What a change of the room's phase does to the draw; `order` is of its settings.
  enum class Step : std::uint8_t { kNone, kBegin, kFinish };
  Step StepAt(RoomState from, RoomState to, PreQueueOrder order) const;
  // Begins a pre-queue: draws a secret seed and commits to it. `first`: the next number.
  void Begin(PlaceNumber first, Random& random);
  // Ends the pre-queue that began last, at the room's last number, and fixes its order.
  void Finish(PlaceNumber last_number);

  Line::Index IndexOf(PlaceNumber number) const;
  PlaceNumber NumberAt(Line::Index index) const;
  // The first number of a pre-queue that is not drawn yet, or 0.
  PlaceNumber UndrawnFrom() const {
    return draws_.empty() || draws_.back().drawn() ? 0 : draws_.back().first;
  }
  // In the order of their pre-queues.
  const std::vector<Draw>& all() const { return draws_; }

 private:
  struct DrawnOrder {
    PlaceNumber first;
    Shuffle shuffle;
  };
  std::vector<Draw> draws_;
  std::vector<DrawnOrder> orders_;  // of the draws with drawn()
};

}  // namespace maejin
