// The settings of a room in front of a site.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace maejin {

// The identity of a visitor: the operator's user, or a random id in a cookie of maejin's origin.
enum class Visitors : std::uint8_t { kUsers, kAnonymous };

// How the site checks a pass: it calls /gate, or it verifies the signature itself.
enum class Verification : std::uint8_t { kOnline, kOffline };

std::string_view Name(Visitors visitors);
std::string_view Name(Verification verify);
constexpr Visitors Last(Visitors) { return Visitors::kAnonymous; }
constexpr Verification Last(Verification) { return Verification::kOffline; }

// Limits up to which a room rests (standby.h); an absent one does not limit.
struct Standby {
  std::optional<std::uint32_t> arrivals_per_minute = {};
  std::optional<std::uint32_t> entered = {};

  friend bool operator==(const Standby&, const Standby&) = default;
};

// The range in which the entries per minute follow the health of the site (floating.h).
struct Floating {
  std::uint32_t min_per_minute = 1;  // at least 1
  std::uint32_t max_per_minute = 1;  // at least the minimum
  std::string health_url = {};       // probed for the load of the site

  friend bool operator==(const Floating&, const Floating&) = default;
};

struct SiteSettings {
  // Shown on the waiting page; empty: none.
  std::string title = {};
  // Targets to which a visitor may return (return_url.h). Empty: the page has no target.
  std::vector<std::string> return_urls = {};
  Visitors visitors = Visitors::kUsers;
  Verification verify = Verification::kOnline;
  // The room rests while the site is quiet; absent: it never does.
  std::optional<Standby> standby = {};
  // The rate floats; absent: the operator sets it.
  std::optional<Floating> floating = {};

  friend bool operator==(const SiteSettings&, const SiteSettings&) = default;
};

inline constexpr std::size_t kMaxReturnUrls = 20;

// StandbyText() writes the limits for a column or a field ("100 50", "- 50"; empty: no standby);
// ParseStandby() reads them.
std::string StandbyText(const std::optional<Standby>& standby);
std::optional<Standby> ParseStandby(std::string_view text);
// The same for a range: "60 600 https://shop.example/health"; empty: the rate does not float.
std::string FloatingText(const std::optional<Floating>& floating);
std::optional<Floating> ParseFloating(std::string_view text);

// JoinLines() writes a list as text lines, for a column or a field; SplitLines() reads it.
std::string JoinLines(const std::vector<std::string>& lines);
std::vector<std::string> SplitLines(std::string_view text);

}  // namespace maejin
