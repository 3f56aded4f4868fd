// Posters of concerts: checked by their header only, stored as they were sent, never decoded.
#pragma once

#include "base/clock.h"
#include "store/poster_store.h"
#include "usecase/read_concerts.h"

namespace maejin {

inline constexpr std::size_t kMaxPosterBytes = 5 << 20;
inline constexpr std::int32_t kMaxPosterSide = 10'000;

// Thread-safe. The references outlive it.
class ManagePoster {
 public:
  ManagePoster(PosterStore& posters, ReadConcerts& concerts, const Clock& clock)
      : posters_(posters), concerts_(concerts), clock_(clock) {}

  // A narrower copy of a poster.
  struct CopyOf {
    std::string version;
    std::int32_t width = 0;
  };
  // Returns the poster's version. Refuses: kConcertNotFound, kPayloadTooLarge, kInvalidField (no picture of a
  // known type, too large a side, a copy of another version, width or shape), kUnavailable.
  Task<Outcome<std::string>> Put(ConcertId concert, std::string bytes, std::optional<CopyOf> copy,
                                 std::string actor);
  // Refuses: kConcertNotFound, kUnavailable.
  Task<Outcome<Done>> Remove(ConcertId concert, std::string actor);

  std::optional<PosterInfo> FindAtOnce(ConcertId concert) const { return posters_.FindAtOnce(concert); }
  // Refuses: kNotFound, kUnavailable.
  Task<Outcome<Picture>> Read(ConcertId concert, std::string version, std::int32_t width) {
    return posters_.Read(concert, std::move(version), width);
  }

 private:
  PosterStore& posters_;
  ReadConcerts& concerts_;
  const Clock& clock_;
};

// The narrowest width that is at least `wanted`, otherwise the widest.
std::int32_t BestWidth(const PosterInfo& poster, std::int32_t wanted);

}  // namespace maejin
