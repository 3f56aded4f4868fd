#include "domain/waiting_room/published_draw.h"

#include <boost/json/parse.hpp>

#include "base/hex.h"

namespace maejin {
namespace {

std::optional<ShuffleSeed> SeedOf(std::string_view hex) {
  ShuffleSeed seed{};
  if (!ReadHex(hex, seed)) return {};
  return seed;
}

std::string TextIn(const boost::json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value && value->is_string() ? std::string(value->as_string()) : std::string();
}

std::uint32_t NumberIn(const boost::json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  if (!value || !value->is_int64() || value->as_int64() < 0 || value->as_int64() > UINT32_MAX) return 0;
  return static_cast<std::uint32_t>(value->as_int64());
}

}  // namespace

std::string_view Name(DrawFault fault) {
  switch (fault) {
    case DrawFault::kNotDrawnYet:
      return "not drawn yet";
    case DrawFault::kUnknownAlgorithm:
      return "unknown algorithm";
    case DrawFault::kWrongCommitment:
      return "the seed is not the one that was committed to";
    case DrawFault::kWrongOrder:
      return "the order is not the one the seed gives";
  }
  return "unknown";
}

std::optional<std::vector<PublishedDraw>> ReadPublishedDraws(std::string_view json) {
  boost::json::error_code error;
  const auto value = boost::json::parse(json, error);
  if (error || !value.is_object()) return {};
  const auto* shuffles = value.as_object().if_contains("shuffles");
  if (!shuffles || !shuffles->is_array()) return {};
  std::vector<PublishedDraw> draws;
  for (const auto& item : shuffles->as_array()) {
    if (!item.is_object()) return {};
    const auto& object = item.as_object();
    draws.push_back({TextIn(value.as_object(), "algorithm"), TextIn(object, "commitment"),
                     NumberIn(object, "firstNumber"), NumberIn(object, "count"),
                     SeedOf(TextIn(object, "seed")), TextIn(object, "orderSha256")});
  }
  return draws;
}

std::optional<DrawFault> Verify(const PublishedDraw& draw) {
  if (draw.algorithm != kShuffleAlgorithm) return DrawFault::kUnknownAlgorithm;
  if (!draw.seed) return DrawFault::kNotDrawnYet;
  if (Commitment(*draw.seed) != draw.commitment) return DrawFault::kWrongCommitment;
  if (OrderDigest(Shuffle(*draw.seed, draw.count)) != draw.order_digest) return DrawFault::kWrongOrder;
  return {};
}

}  // namespace maejin
