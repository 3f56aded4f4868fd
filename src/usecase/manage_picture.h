// Posters or logos of concerts: checked by their header only, stored as they were sent, never decoded.
#pragma once

#include "base/clock.h"
#include "store/picture_store.h"
#include "usecase/read_concerts.h"

namespace maejin {

// Thread-safe. The references outlive it.
class ManagePicture {
 public:
  // `pictures`: those of `kind`.
  ManagePicture(PictureKind kind, PictureStore& pictures, ReadConcerts& concerts, const Clock& clock)
      : kind_(kind), pictures_(pictures), concerts_(concerts), clock_(clock) {}

  PictureKind kind() const { return kind_; }

  // A narrower copy of a picture.
  struct CopyOf {
    std::string version;
    std::int32_t width = 0;
  };
  // Returns the picture's version. Refuses: kConcertNotFound, kPayloadTooLarge, kInvalidField (no picture of
  // a known type, too many pixels, a copy of another version, width or shape), kUnavailable.
  Task<Outcome<std::string>> Put(ConcertId concert, std::string bytes, std::optional<CopyOf> copy,
                                 std::string actor);
  // Refuses: kConcertNotFound, kUnavailable.
  Task<Outcome<Done>> Remove(ConcertId concert, std::string actor);

  std::optional<StoredPicture> FindAtOnce(ConcertId concert) const { return pictures_.FindAtOnce(concert); }
  // Refuses: kNotFound, kUnavailable.
  Task<Outcome<Picture>> Read(ConcertId concert, std::string version, std::int32_t width) {
    return pictures_.Read(concert, std::move(version), width);
  }

 private:
  const PictureKind kind_;
  PictureStore& pictures_;
  ReadConcerts& concerts_;
  const Clock& clock_;
};

// The narrowest width that is at least `wanted`, otherwise the widest.
std::int32_t BestWidth(const StoredPicture& picture, std::int32_t wanted);

}  // namespace maejin
