// Deadlines in O(1) each: a hierarchical timing wheel of seven levels with 64 buckets and ticks of a
// millisecond.
//
// There is no Cancel: when a deadline fires, its owner checks whether it is stale (the seat was paid, the fan
// polled) and arms a later deadline if needed. So a renewal costs nothing until the deadline fires. A
// deadline moves at most once per level. A wheel that was never armed allocates nothing.
//
// Not thread-safe: guarded by the lock of its owner.
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

// `Payload` is small and trivially copyable, e.g. an index with a version.
template <class Payload>
class TimerWheel {
  static_assert(std::is_trivially_copyable_v<Payload>);

 public:
  // Fires at the first Advance() with `now` not before `at`. An instant in the past fires at the next
  // Advance().
  void Arm(Time at, Payload payload) {
    if (!state_) state_ = std::make_unique<State>();
    Insert({ToTick(at), payload});
  }

  // Calls fire(payload) for all due deadlines in order of time (in any order within one millisecond). `fire`
  // may call Arm(). An earlier `now` than before fires only deadlines that were armed in the past.
  template <class Fire>
  void Advance(Time now, Fire&& fire) {
    const auto until = ToTick(now);
    if (!state_) {
      if (until > tick_) tick_ = until;
      return;
    }
    Drain(state_->overdue, fire);
    while (const auto next = FirstBucket()) {
      if (next->start > until) break;
      tick_ = next->start;
      Open(*next, fire);
      Drain(state_->overdue, fire);
    }
    if (until > tick_) tick_ = until;
  }

  // A lower bound of the next deadline; absent if no deadline is armed.
  std::optional<Time> NextDue() const {
    if (!state_) return {};
    if (state_->overdue != kNone) return TimeFromMillis(static_cast<std::int64_t>(tick_));
    const auto next = FirstBucket();
    if (!next) return {};
    return TimeFromMillis(static_cast<std::int64_t>(next->start));
  }

  // Memory in use, for the benchmarks.
  std::size_t bytes() const { return state_ ? sizeof(State) + state_->nodes.size() * sizeof(Node) : 0; }

 private:
  using Tick = std::uint64_t;
  using NodeIndex = std::uint32_t;
  static constexpr NodeIndex kNone = UINT32_MAX;
  static constexpr unsigned kBits = 6;
  static constexpr unsigned kBuckets = 1U << kBits;
  static constexpr unsigned kLevels = 7;
  // Deadlines further away than this (139 years) are clamped.
  static constexpr Tick kHorizon = (Tick{1} << (kBits * kLevels)) - 1;

  struct Entry {
    Tick due;
    Payload payload;
  };
  // The entries of a bucket are a linked list of small arrays: less memory than one link per entry, or a
  // vector.
  struct Node {
    static constexpr std::uint32_t kEntries = 15;
    NodeIndex next = kNone;
    std::uint32_t count = 0;
    std::array<Entry, kEntries> entries;
  };
  struct State {
    State() {
      for (auto& level : buckets) level.fill(kNone);
    }
    std::array<std::array<NodeIndex, kBuckets>, kLevels> buckets;
    std::array<std::uint64_t, kLevels> occupied{};
    NodeIndex overdue = kNone;
    NodeIndex free = kNone;
    std::deque<Node> nodes;
  };
  struct Bucket {
    unsigned level;
    unsigned index;
    Tick start;
  };

  static Tick ToTick(Time time) {
    const auto millis = ToMillis(time);
    return millis < 0 ? 0 : static_cast<Tick>(millis);
  }

  // The level is the highest base-64 digit in which the deadline differs from now. So every occupied bucket
  // begins after now, and the first one of the lowest occupied level is always the next.
  void Insert(Entry entry) {
    if (entry.due <= tick_) return Push(state_->overdue, entry);
    auto due = entry.due;
    if ((due ^ tick_) > kHorizon) due = tick_ | kHorizon;
    if (due == tick_) return Push(state_->overdue, entry);
    const auto level = (static_cast<unsigned>(std::bit_width(due ^ tick_)) - 1) / kBits;
    const auto index = static_cast<unsigned>(due >> (kBits * level)) & (kBuckets - 1);
    Push(state_->buckets[level][index], entry);
    state_->occupied[level] |= std::uint64_t{1} << index;
  }

  void Push(NodeIndex& head, Entry entry) {
    auto& state = *state_;
    if (head == kNone || state.nodes[head].count == Node::kEntries) {
      const auto fresh = TakeNode();
      state.nodes[fresh].next = head;
      state.nodes[fresh].count = 0;
      head = fresh;
    }
    auto& node = state.nodes[head];
    node.entries[node.count++] = entry;
  }

  NodeIndex TakeNode() {
    auto& state = *state_;
    if (state.free == kNone) {
      state.nodes.emplace_back();
      return static_cast<NodeIndex>(state.nodes.size() - 1);
    }
    const auto node = state.free;
    state.free = state.nodes[node].next;
    return node;
  }

  std::optional<Bucket> FirstBucket() const {
    for (unsigned level = 0; level < kLevels; ++level) {
      const auto occupied = state_->occupied[level];
      if (occupied == 0) continue;
      const auto index = static_cast<unsigned>(std::countr_zero(occupied));
      const auto above = kBits * (level + 1);
      return Bucket{level, index, (tick_ >> above << above) | Tick{index} << (kBits * level)};
    }
    return {};
  }

  // Empties a bucket that has begun: due entries fire, the others move to lower levels.
  template <class Fire>
  void Open(const Bucket& bucket, Fire&& fire) {
    state_->occupied[bucket.level] &= ~(std::uint64_t{1} << bucket.index);
    Drain(std::exchange(state_->buckets[bucket.level][bucket.index], kNone), fire);
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
      const Node node = state_->nodes[chain];
      state_->nodes[chain].next = std::exchange(state_->free, chain);
      chain = node.next;
      for (std::uint32_t i = 0; i < node.count; ++i) {
        const auto& entry = node.entries[i];
        if (entry.due > tick_) {
          Insert(entry);
          continue;
        }
        fire(entry.payload);
      }
    }
  }

  Tick tick_ = 0;  // all deadlines up to this tick have fired, except those in `overdue`
  std::unique_ptr<State> state_;
};

}  // namespace maejin
