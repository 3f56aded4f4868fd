// Deadlines, in O(1) each: a hierarchical timing wheel of seven levels with 64 slots, one tick a millisecond.
//
// There is no Cancel: whoever arms a deadline checks, when it fires, whether it still matters (the seat was
// paid, the fan polled meanwhile) and arms a later one if it must. So a renewal costs nothing at all, and a
// deadline is moved at most once per level. A wheel that was never armed allocates nothing.
//
// Not thread-safe: belongs to the aggregate whose deadlines it keeps, under the same lock.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/time.h"

namespace maejin {

// `Payload` is small and trivially copyable: an index with a version, say.
template <class Payload>
class TimerWheel {
  static_assert(std::is_trivially_copyable_v<Payload>);

 public:
  // Fires at the first Advance() whose `now` is not before `at`; never earlier. An instant in the past fires
  // at the next Advance().
  void Arm(Time at, Payload payload) {
    if (!parts_) parts_ = std::make_unique<Parts>();
    ++size_;
    Insert({ToTick(at), payload});
  }

  // Calls fire(payload) for everything that is due, earlier deadlines first (within one millisecond in any
  // order). `fire` may Arm() again. Time does not go back: an earlier `now` fires only what is overdue.
  template <class Fire>
  void Advance(Time now, Fire&& fire) {
    const auto until = ToTick(now);
    if (!parts_) {
      if (until > tick_) tick_ = until;
      return;
    }
    Drain(parts_->overdue, fire);
    while (const auto next = FirstSlot()) {
      if (next->start > until) break;
      tick_ = next->start;
      Open(*next, fire);
      Drain(parts_->overdue, fire);
    }
    if (until > tick_) tick_ = until;
  }

  // No deadline fires before this instant; absent where none is armed.
  std::optional<Time> NextDue() const {
    if (!parts_) return {};
    if (parts_->overdue != kNone) return TimeFromMillis(static_cast<std::int64_t>(tick_));
    const auto next = FirstSlot();
    if (!next) return {};
    return TimeFromMillis(static_cast<std::int64_t>(next->start));
  }

  std::size_t size() const { return size_; }
  // Memory in use, for the benchmarks.
  std::size_t bytes() const { return parts_ ? sizeof(Parts) + parts_->nodes.size() * sizeof(Node) : 0; }

 private:
  using Tick = std::uint64_t;
  using NodeIndex = std::uint32_t;
  static constexpr NodeIndex kNone = UINT32_MAX;
  static constexpr unsigned kBits = 6;
  static constexpr unsigned kSlots = 1U << kBits;
  static constexpr unsigned kLevels = 7;
  // Further than this (139 years) is for ever.
  static constexpr Tick kHorizon = (Tick{1} << (kBits * kLevels)) - 1;

  struct Entry {
    Tick due;
    Payload payload;
  };
  // Entries of one slot lie in a chain of small arrays: no link per entry, no slack of a growing vector.
  struct Node {
    static constexpr std::uint32_t kEntries = 15;
    NodeIndex next = kNone;
    std::uint32_t count = 0;
    std::array<Entry, kEntries> entries;
  };
  struct Parts {
    Parts() {
      for (auto& level : slots) level.fill(kNone);
    }
    std::array<std::array<NodeIndex, kSlots>, kLevels> slots;
    std::array<std::uint64_t, kLevels> occupied{};
    NodeIndex overdue = kNone;
    NodeIndex free = kNone;
    std::deque<Node> nodes;
  };
  struct Slot {
    unsigned level;
    unsigned index;
    Tick start;
  };

  static Tick ToTick(Time time) {
    const auto millis = ToMillis(time);
    return millis < 0 ? 0 : static_cast<Tick>(millis);
  }

  // An entry lies on the level of the highest digit in which its deadline differs from now, so that every
  // slot of a level begins after now and the first slot of the lowest level in use is always the next one.
  void Insert(Entry entry) {
    if (entry.due <= tick_) return Push(parts_->overdue, entry);
    auto place = entry.due;
    if ((place ^ tick_) > kHorizon) place = tick_ | kHorizon;
    if (place == tick_) return Push(parts_->overdue, entry);
    const auto level = (static_cast<unsigned>(std::bit_width(place ^ tick_)) - 1) / kBits;
    const auto index = static_cast<unsigned>(place >> (kBits * level)) & (kSlots - 1);
    Push(parts_->slots[level][index], entry);
    parts_->occupied[level] |= std::uint64_t{1} << index;
  }

  void Push(NodeIndex& head, Entry entry) {
    auto& parts = *parts_;
    if (head == kNone || parts.nodes[head].count == Node::kEntries) {
      const auto fresh = TakeNode();
      parts.nodes[fresh].next = head;
      parts.nodes[fresh].count = 0;
      head = fresh;
    }
    auto& node = parts.nodes[head];
    node.entries[node.count++] = entry;
  }

  NodeIndex TakeNode() {
    auto& parts = *parts_;
    if (parts.free == kNone) {
      parts.nodes.emplace_back();
      return static_cast<NodeIndex>(parts.nodes.size() - 1);
    }
    const auto node = parts.free;
    parts.free = parts.nodes[node].next;
    return node;
  }

  std::optional<Slot> FirstSlot() const {
    for (unsigned level = 0; level < kLevels; ++level) {
      const auto occupied = parts_->occupied[level];
      if (occupied == 0) continue;
      const auto index = static_cast<unsigned>(std::countr_zero(occupied));
      const auto above = kBits * (level + 1);
      return Slot{level, index, (tick_ >> above << above) | Tick{index} << (kBits * level)};
    }
    return {};
  }

  // Empties a slot whose time has come: what is due fires, the rest moves to lower levels.
  template <class Fire>
  void Open(const Slot& slot, Fire&& fire) {
    parts_->occupied[slot.level] &= ~(std::uint64_t{1} << slot.index);
    Drain(std::exchange(parts_->slots[slot.level][slot.index], kNone), fire);
  }

  template <class Fire>
  void Drain(NodeIndex& head, Fire&& fire) {
    while (head != kNone) {
      const auto chain = std::exchange(head, kNone);
      Drain(NodeIndex{chain}, fire);
    }
  }

  template <class Fire>
  void Drain(NodeIndex&& chain, Fire&& fire) {
    while (chain != kNone) {
      // Copied out: `fire` may arm, and arming may take this very node from the free list.
      const Node node = parts_->nodes[chain];
      parts_->nodes[chain].next = std::exchange(parts_->free, chain);
      chain = node.next;
      for (std::uint32_t i = 0; i < node.count; ++i) {
        const auto& entry = node.entries[i];
        if (entry.due > tick_) {
          Insert(entry);
          continue;
        }
        --size_;
        fire(entry.payload);
      }
    }
  }

  Tick tick_ = 0;  // everything due up to here has fired, but what is overdue
  std::size_t size_ = 0;
  std::unique_ptr<Parts> parts_;
};

}  // namespace maejin
