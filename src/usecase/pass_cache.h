// Passes whose signature this node has checked: a check takes longer than all the rest of /gate. A pass is
// compared as a whole, so that a cached answer is the answer of ReadPass(). Bounded: a pass may be in one of
// the few slots of its set, and replaces an expired one or one of the others. Thread-safe.
#pragma once

#include <array>
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
  // With one slot a set, a tenth of 2,000 passes would share a slot of 16,384 with another and be checked
  // again and again.
  static constexpr std::size_t kSlotsOfASet = 4;

  explicit PassCache(std::size_t sets = 16'384) : sets_(sets) {}

  // The pass if it was checked with the present keys and has not expired; null: not known.
  SharedPass Find(const KeyRing& keys, std::string_view text, Time now) const;
  // The same, checked now if it is not known. Faults as ReadPass().
  Result<SharedPass, PassFault> Read(const KeyRing& keys, std::string_view text, Time now);

 private:
  struct Checked;
  struct Slot {
    // Of the text's hash: a pass in another slot of the set is not loaded. Only a hint.
    std::atomic<std::uint32_t> tag{0};
    std::atomic<std::shared_ptr<const Checked>> checked;
  };
  using Set = std::array<Slot, kSlotsOfASet>;

  static Slot& SlotToReplace(Set& set, std::size_t hash, Time now);

  std::vector<Set> sets_;
};

}  // namespace maejin
