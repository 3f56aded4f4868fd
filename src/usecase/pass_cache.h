// Passes whose signature this node has checked, because a check takes longer than all the rest of /gate. The
// cache compares the whole text of a pass, so that its answer is the answer of ReadPass(). It is bounded: its
// entries (Slot, not the slots of a room) form sets, and the hash of a pass chooses its set. A new pass
// evicts an expired pass of its set, or else another one. Thread-safe.
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
  // With one entry in each of 16,384 sets, a tenth of 2,000 passes would share its entry with another pass.
  // Such passes would evict each other, and be checked again and again.
  static constexpr std::size_t kSlotsOfASet = 4;

  explicit PassCache(std::size_t sets = 16'384) : sets_(sets) {}

  // The pass if it was checked with the present keys and has not expired; null: not known.
  SharedPass Find(const KeyRing& keys, std::string_view text, Time now) const;
  // As Find(), but checks a pass that is not known. Fails as ReadPass().
  Result<SharedPass, PassFault> Read(const KeyRing& keys, std::string_view text, Time now);

 private:
  struct Checked;
  struct Slot {
    // Bits of the text's hash, so that Find() does not load the other passes of the set. Only a hint: Find()
    // then compares the text.
    std::atomic<std::uint32_t> tag{0};
    std::atomic<std::shared_ptr<const Checked>> checked;
  };
  using Set = std::array<Slot, kSlotsOfASet>;

  static Slot& SlotToReplace(Set& set, std::size_t hash, Time now);

  std::vector<Set> sets_;
};

}  // namespace maejin
