// The order of one board: row numbers in blocks, each block sorted, the blocks in order.
//
// A tree of nodes (std::set, pb_ds) costs 48 bytes a row and a cache miss a level. Here a row costs four
// bytes. To find a rank, RankOf() searches a small directory of durations, reads a prefix count, and scans
// one block for the row's number. An insertion shifts at most one block and adds one to the counts behind it.
//
// Not thread-safe: the store's lock guards it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "domain/ranking/sold_out_order.h"

namespace maejin::embedded {

// The number of a row in its table. A number is never reused for another row.
using Row = std::uint32_t;

// `Table` has the functions key(Row), which returns the row's SoldOutKey, duration(Row), which returns only
// its Millis, and Prefetch(Row), which loads the row into the cache.
class RankedRows {
 public:
  explicit RankedRows(DurationUnit unit) : unit_(unit) {}

  std::size_t size() const { return size_; }
  Row At(std::size_t index) const {
    const auto after = std::upper_bound(starts_.begin(), starts_.end(), index);
    const auto block = static_cast<std::size_t>(after - starts_.begin()) - 1;
    return blocks_[block][index - starts_[block]];
  }
  // Calls visit(row) for `count` rows from `index` on.
  template <class Visit>
  void ForEach(std::size_t index, std::size_t count, Visit visit) const {
    if (index >= size_) return;
    count = std::min(count, size_ - index);
    const auto after = std::upper_bound(starts_.begin(), starts_.end(), index);
    auto block = static_cast<std::size_t>(after - starts_.begin()) - 1;
    for (auto at = index - starts_[block]; count > 0; --count, ++at) {
      if (at == blocks_[block].size()) {
        ++block;
        at = 0;
      }
      visit(blocks_[block][at]);
    }
  }

  // Precondition: the row is not on the board.
  template <class Table>
  void Insert(const Table& table, Row row) {
    const auto block = InsertIntoBlock(table, row);
    for (auto i = block + 1; i < starts_.size(); ++i) ++starts_[i];
    if (blocks_[block].size() >= kBlockRows) Split(table, block);
  }
  // Adds many rows. The searches for their positions run interleaved, so that cache misses overlap. The
  // counts of the blocks are computed once.
  template <class Table>
  void InsertAll(const Table& table, std::span<const Row> rows) {
    if (blocks_.empty()) return Build(table, {rows.begin(), rows.end()});
    std::vector<Insertion> insertions;
    insertions.reserve(rows.size());
    for (const Row row : rows)
      insertions.push_back({table.key(row), InUnit(table.duration(row), unit_), row});
    std::sort(insertions.begin(), insertions.end(), [&](const Insertion& a, const Insertion& b) {
      return a.duration != b.duration ? a.duration < b.duration : RanksBefore(a.key, b.key, unit_);
    });
    for (std::size_t i = 0; i < insertions.size(); i += kSideBySide) {
      Search(table, std::span{insertions}.subspan(i, std::min(kSideBySide, insertions.size() - i)));
    }
    // In descending order, so that an insertion does not move the positions found for the others.
    for (auto it = insertions.rbegin(); it != insertions.rend(); ++it) {
      PutAt(it->block, it->position, it->row);
      const auto next = std::next(it);
      if (next == insertions.rend() || next->block != it->block) FinishBlock(table, it->block);
    }
    size_ += insertions.size();
    std::uint32_t start = 0;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      starts_[i] = start;
      start += static_cast<std::uint32_t>(blocks_[i].size());
    }
  }

  // Zero-based; size() if the row is not on the board.
  template <class Table>
  std::size_t RankOf(const Table& table, Row row) const {
    if (blocks_.empty()) return 0;
    const auto block = BlockOf(table, table.key(row));
    const auto& rows = blocks_[block];
    const auto found = std::find(rows.begin(), rows.end(), row);
    if (found == rows.end()) return size_;
    return starts_[block] + static_cast<std::size_t>(found - rows.begin());
  }

  // Replaces all rows by `rows`, in any order: much cheaper than adding them one by one.
  template <class Table>
  void Build(const Table& table, std::vector<Row> rows) {
    std::vector<std::pair<std::int64_t, Row>> keyed;
    keyed.reserve(rows.size());
    for (const Row row : rows) keyed.emplace_back(InUnit(table.key(row).duration, unit_), row);
    std::sort(keyed.begin(), keyed.end(), [&](const auto& a, const auto& b) {
      if (a.first != b.first) return a.first < b.first;
      return RanksBefore(table.key(a.second), table.key(b.second), unit_);
    });
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = keyed[i].second;
    Replace(table, rows);
  }

  // Keeps the first `count` rows.
  void Truncate(std::size_t count) {
    while (size_ > count) {
      blocks_.back().pop_back();
      --size_;
      if (blocks_.back().empty()) DropLastBlock();
    }
  }

  std::size_t bytes() const {
    auto sum = blocks_.capacity() * sizeof(std::vector<Row>) + leads_.capacity() * sizeof leads_[0] +
               starts_.capacity() * sizeof starts_[0];
    for (const auto& block : blocks_) sum += block.capacity() * sizeof(Row);
    return sum;
  }

 private:
  static constexpr std::size_t kBlockRows = 512;
  static constexpr std::size_t kSpareRows = 32;
  static constexpr std::size_t kSideBySide = 16;
  // A row to insert, and its position.
  struct Insertion {
    SoldOutKey key;
    std::int64_t duration;
    Row row;
    std::size_t block = 0;
    std::size_t position = 0;  // position in the block
    std::size_t left = 0;      // rows of the block that the binary search has not excluded
  };
  // The directory's entry for a block: its first row, and that row's duration in the board's unit.
  struct LeadRow {
    std::int64_t duration;
    Row row;
  };

  // Inserts one row into its block and returns the block's number. The caller updates the counts of later
  // blocks.
  template <class Table>
  std::size_t InsertIntoBlock(const Table& table, Row row) {
    ++size_;
    if (blocks_.empty()) {
      blocks_.push_back({row});
      starts_.push_back(0);
      leads_.push_back({});
      Lead(table, 0);
      return 0;
    }
    const auto key = table.key(row);
    const auto block = BlockOf(table, key);
    auto& rows = blocks_[block];
    const auto at = std::lower_bound(rows.begin(), rows.end(), key, [&](Row other, const SoldOutKey& mine) {
      return RanksBefore(table.key(other), mine, unit_);
    });
    const auto position = static_cast<std::size_t>(at - rows.begin());
    PutAt(block, position, row);
    if (position == 0) Lead(table, block);
    return block;
  }

  void PutAt(std::size_t block, std::size_t position, Row row) {
    auto& rows = blocks_[block];
    // Grows by a fixed step: doubling would leave a fifth of a board's memory unused.
    if (rows.size() == rows.capacity()) rows.reserve(rows.size() + kSpareRows);
    rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(position), row);
  }

  // Interleaves the binary searches: the memory reads of all rows overlap.
  template <class Table>
  void Search(const Table& table, std::span<Insertion> insertions) const {
    for (auto& insertion : insertions) {
      insertion.block = BlockOf(table, insertion.key);
      insertion.left = blocks_[insertion.block].size();
    }
    for (std::size_t longest = kBlockRows; longest > 0; longest /= 2) {
      for (const auto& insertion : insertions) {
        if (insertion.left > 0)
          table.Prefetch(blocks_[insertion.block][insertion.position + insertion.left / 2]);
      }
      for (auto& insertion : insertions) {
        if (insertion.left > 0) Halve(table, insertion);
      }
    }
  }

  template <class Table>
  void Halve(const Table& table, Insertion& insertion) const {
    const auto half = insertion.left / 2;
    const Row middle = blocks_[insertion.block][insertion.position + half];
    const auto duration = InUnit(table.duration(middle), unit_);
    const bool behind = duration != insertion.duration ? duration < insertion.duration
                                                       : RanksBefore(table.key(middle), insertion.key, unit_);
    if (behind) {
      insertion.position += half + 1;
      insertion.left -= half + 1;
    } else {
      insertion.left = half;
    }
  }

  template <class Table>
  void FinishBlock(const Table& table, std::size_t block) {
    if (block == 0) Lead(table, 0);
    for (; blocks_[block].size() >= kBlockRows; ++block) Split(table, block);
  }

  // The last block whose first row does not rank behind `key`, or the first one.
  template <class Table>
  std::size_t BlockOf(const Table& table, const SoldOutKey& key) const {
    const auto duration = InUnit(key.duration, unit_);
    const auto after = std::partition_point(leads_.begin(), leads_.end(), [&](const LeadRow& lead) {
      if (lead.duration != duration) return lead.duration < duration;
      return !RanksBefore(key, table.key(lead.row), unit_);
    });
    return after == leads_.begin() ? 0 : static_cast<std::size_t>(after - leads_.begin()) - 1;
  }

  template <class Table>
  void Lead(const Table& table, std::size_t block) {
    const Row first = blocks_[block].front();
    leads_[block] = {InUnit(table.key(first).duration, unit_), first};
  }

  template <class Table>
  void Split(const Table& table, std::size_t block) {
    const auto half = static_cast<std::ptrdiff_t>(kBlockRows / 2);
    const auto next = static_cast<std::ptrdiff_t>(block) + 1;
    std::vector<Row> upper(blocks_[block].begin() + half, blocks_[block].end());
    blocks_[block].resize(kBlockRows / 2);
    blocks_[block].shrink_to_fit();
    blocks_.insert(blocks_.begin() + next, std::move(upper));
    starts_.insert(starts_.begin() + next, starts_[block] + static_cast<std::uint32_t>(kBlockRows / 2));
    leads_.insert(leads_.begin() + next, LeadRow{});
    Lead(table, block + 1);
  }

  template <class Table>
  void Replace(const Table& table, std::span<const Row> sorted) {
    constexpr std::size_t kFill = kBlockRows * 3 / 4;
    blocks_.clear();
    starts_.clear();
    leads_.clear();
    for (std::size_t start = 0; start < sorted.size(); start += kFill) {
      const auto piece = sorted.subspan(start, std::min(kFill, sorted.size() - start));
      blocks_.emplace_back(piece.begin(), piece.end());
      starts_.push_back(static_cast<std::uint32_t>(start));
      leads_.push_back({});
      Lead(table, blocks_.size() - 1);
    }
    size_ = sorted.size();
  }

  void DropLastBlock() {
    blocks_.pop_back();
    starts_.pop_back();
    leads_.pop_back();
  }

  DurationUnit unit_;
  std::size_t size_ = 0;
  // Three parallel lists with one element per block: its rows, the rank of its first row, its directory
  // entry.
  std::vector<std::vector<Row>> blocks_;
  std::vector<std::uint32_t> starts_;
  std::vector<LeadRow> leads_;
};

}  // namespace maejin::embedded
