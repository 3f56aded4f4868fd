// A published draw, and its verification against the commitment.
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

// Parses the draws of a `GET …/shuffle` answer; absent for any other text.
std::optional<std::vector<PublishedDraw>> ReadPublishedDraws(std::string_view json);

// Recomputes commitment and order; absent if both match.
std::optional<DrawFault> Verify(const PublishedDraw& draw);

}  // namespace maejin
