// The port of concerts' pictures of one kind: one picture for each concert, with narrower copies of it.
// Thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "domain/booking/picture.h"
#include "domain/refusal.h"
#include "domain/words.h"
#include "store/operator.h"

namespace maejin {

struct Picture {
  PictureInfo info;
  std::shared_ptr<const std::string> bytes;
};

class PictureStore {
 public:
  virtual ~PictureStore() = default;

  // Replaces the picture of the concert, with an audit row. Removes the copies of the previous one.
  // Refuses: kUnavailable.
  virtual Task<Outcome<Done>> Put(ConcertId concert, std::string version, Picture picture,
                                  Operator actor) = 0;
  // Adds or replaces a narrower copy. Refuses: kNotFound (the picture has another version), kUnavailable.
  virtual Task<Outcome<Done>> PutCopy(ConcertId concert, std::string version, Picture picture) = 0;
  // Removes the picture and its copies, with an audit row. A concert without a picture is no error. Refuses:
  // kUnavailable.
  virtual Task<Outcome<Done>> Remove(ConcertId concert, Operator actor) = 0;

  // Never waits. Changes of other nodes are visible within two seconds. Absent: there is no picture.
  virtual std::optional<StoredPicture> FindAtOnce(ConcertId concert) const = 0;
  // The copy of this width. Refuses: kNotFound, kUnavailable.
  virtual Task<Outcome<Picture>> Read(ConcertId concert, std::string version, std::int32_t width) = 0;
};

}  // namespace maejin
