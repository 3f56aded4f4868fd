#include "domain/waiting_room/line.h"

#include <bit>

// Bit counts dominate the time of a rank, so use the processor's instruction where it has one.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define MAEJIN_POPCOUNT __attribute__((target_clones("popcnt", "default")))
#else
#define MAEJIN_POPCOUNT
#endif

namespace maejin {
namespace {

// The lowest set bit of a tree node's index: the number of blocks that this tree node sums.
constexpr Line::Index Span(Line::Index node) { return node & (~node + 1); }

// The index of the set bit with this rank.
Line::Index SelectInWord(std::uint64_t word, std::uint32_t rank) {
  for (; rank > 0; --rank) word &= word - 1;
  return static_cast<Line::Index>(std::countr_zero(word));
}

}  // namespace

// A new tree node starts as the sum of the tree nodes below it, because their blocks may have living places.
void Line::Grow(Index blocks) {
  words_.resize(std::size_t{blocks} * kBlockWords);
  while (tree_.size() < blocks) {
    const auto node = static_cast<Index>(tree_.size()) + 1;
    std::uint32_t sum = 0;
    for (Index below = node - 1; below > node - Span(node); below -= Span(below)) sum += tree_[below - 1];
    tree_.push_back(sum);
  }
}

void Line::AddToTree(Index block, std::int32_t by) {
  for (Index node = block + 1; node <= tree_.size(); node += Span(node)) {
    tree_[node - 1] += static_cast<std::uint32_t>(by);
  }
}

bool Line::Set(Index index) {
  const auto block = index / kBlockBits;
  if (block >= tree_.size()) Grow(block + 1);
  auto& word = words_[index / 64];
  const auto bit = std::uint64_t{1} << (index % 64);
  if ((word & bit) != 0) return false;
  word |= bit;
  ++count_;
  AddToTree(block, 1);
  return true;
}

bool Line::Clear(Index index) {
  if (!Test(index)) return false;
  words_[index / 64] &= ~(std::uint64_t{1} << (index % 64));
  --count_;
  AddToTree(index / kBlockBits, -1);
  return true;
}

MAEJIN_POPCOUNT std::uint32_t Line::Rank(Index index) const {
  const auto block = index / kBlockBits;
  if (block >= tree_.size()) return count_;
  std::uint32_t rank = 0;
  for (Index node = block; node > 0; node -= Span(node)) rank += tree_[node - 1];
  for (Index word = block * kBlockWords; word < index / 64; ++word) {
    rank += static_cast<std::uint32_t>(__builtin_popcountll(words_[word]));
  }
  const auto before = (std::uint64_t{1} << (index % 64)) - 1;
  return rank + static_cast<std::uint32_t>(__builtin_popcountll(words_[index / 64] & before));
}

MAEJIN_POPCOUNT Line::Index Line::Select(std::uint32_t rank) const {
  if (rank >= count_) return kNone;
  Index block = 0;
  for (auto step = std::bit_floor(static_cast<Index>(tree_.size())); step > 0; step /= 2) {
    const auto node = block + step;
    if (node > tree_.size() || tree_[node - 1] > rank) continue;
    rank -= tree_[node - 1];
    block = node;
  }
  for (Index word = block * kBlockWords;; ++word) {
    const auto here = static_cast<std::uint32_t>(__builtin_popcountll(words_[word]));
    if (rank < here) return word * 64 + SelectInWord(words_[word], rank);
    rank -= here;
  }
}

}  // namespace maejin
