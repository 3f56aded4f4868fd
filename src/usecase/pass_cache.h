// Passes whose signature this node has checked: a check takes longer than all the rest of /gate. A pass is
// compared as a whole, so that a cached answer is the answer of ReadPass(). Bounded: a new pass replaces the
// one in its slot. Thread-safe.
#pragma once

#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include "base/key_ring.h"
#include "domain/waiting_room/pass.h"

namespace maejin {

class PassCache {
 public:
  using SharedPass = std::shared_ptr<const Pass>;

  explicit PassCache(std::size_t slots = 16'384) : slots_(slots) {}

  // The pass if it was checked with the present keys and has not expired; null: not known.
  SharedPass Find(const KeyRing& keys, std::string_view text, Time now) const;
  // The same, checked now if it is not known. Faults as ReadPass().
  Result<SharedPass, PassFault> Read(const KeyRing& keys, std::string_view text, Time now);

 private:
  struct Checked;
  using Slot = std::atomic<std::shared_ptr<const Checked>>;

  std::size_t SlotOf(std::string_view text) const;

  std::vector<Slot> slots_;
};

}  // namespace maejin
