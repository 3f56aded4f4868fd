// A draw as it was published, and whether it is the one that was promised.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/waiting_room/shuffle.h"

namespace maejin {

struct PublishedDraw {
  std::string algorithm;
  std::string commitment;
  std::uint32_t first = 1;
  std::uint32_t count = 0;
  std::optional<ShuffleSeed> seed;  // absent until the opening
  std::string order_digest;
};

enum class DrawFault : std::uint8_t { kNotDrawnYet, kUnknownAlgorithm, kWrongCommitment, kWrongOrder };
std::string_view Name(DrawFault fault);

// The draws of a `GET …/shuffle` answer; absent for any other text.
std::optional<std::vector<PublishedDraw>> ReadPublishedDraws(std::string_view json);

// Recomputes everything: absent if the seed is the committed one and gives the published order.
std::optional<DrawFault> Verify(const PublishedDraw& draw);

}  // namespace maejin
