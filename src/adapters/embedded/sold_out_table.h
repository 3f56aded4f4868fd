// A compact table in memory of every sold-out concert and schedule, which the boards refer to by row number.
// One row per id; rows are numbered in order of arrival, never removed and never moved. Not thread-safe: the
// store's lock guards it.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "adapters/embedded/ranked_rows.h"
#include "domain/booking/booking_event.h"

namespace maejin::embedded {

// An integer of kBytes bytes, without alignment. Below eight bytes it is never negative: six bytes hold every
// millisecond from 1970 to the year 10889.
template <std::size_t kBytes>
class PackedInt {
 public:
  PackedInt() = default;
  PackedInt(std::int64_t value) {
    std::memcpy(bytes_.data(), &value, kBytes);
  }  // NOLINT: stands for a number
  operator std::int64_t() const {  // NOLINT
    std::uint64_t value = 0;
    std::memcpy(&value, bytes_.data(), kBytes);
    return static_cast<std::int64_t>(value);
  }

 private:
  std::array<unsigned char, kBytes> bytes_{};
};

// Records by row number and by id. `Record` has an `id`.
template <class Record>
class RowTable {
 public:
  std::size_t size() const { return size_; }
  const Record& operator[](Row row) const { return (*chunks_[row / kChunk])[row % kChunk]; }

  std::optional<Row> Find(std::int64_t id) const {
    if (buckets_.empty()) return {};
    for (auto at = Slot(id);; at = (at + 1) & (buckets_.size() - 1)) {
      if (buckets_[at] == 0) return {};
      if ((*this)[buckets_[at] - 1].id == id) return buckets_[at] - 1;
    }
  }

  // Precondition: the table does not have the id.
  Row Add(const Record& record) {
    if ((size_ + 1) * 4 > buckets_.size() * 3) Grow();
    const auto row = static_cast<Row>(size_++);
    if (row % kChunk == 0) chunks_.push_back(std::make_unique<Chunk>());
    (*chunks_.back())[row % kChunk] = record;
    Enter(row);
    return row;
  }

  std::size_t bytes() const {
    return chunks_.size() * sizeof(Chunk) + buckets_.capacity() * sizeof buckets_[0];
  }

 private:
  static constexpr std::size_t kChunk = 1024;
  using Chunk = std::array<Record, kChunk>;

  std::size_t Slot(std::int64_t id) const {
    const auto mixed = static_cast<std::uint64_t>(id) * 0x9E3779B97F4A7C15ULL;
    return static_cast<std::size_t>(mixed >> 20) & (buckets_.size() - 1);
  }
  void Enter(Row row) {
    auto at = Slot((*this)[row].id);
    while (buckets_[at] != 0) at = (at + 1) & (buckets_.size() - 1);
    buckets_[at] = row + 1;
  }
  void Grow() {
    buckets_.assign(buckets_.empty() ? 64 : buckets_.size() * 2, 0);
    const auto known = size_;
    for (std::size_t row = 0; row < known; ++row) Enter(static_cast<Row>(row));
  }

  std::size_t size_ = 0;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<Row> buckets_;  // hash table with open addressing: row number + 1; 0: empty
};

// Texts in large chunks, each identified by a four-byte reference. Equal texts can share one copy (Intern).
class TextPool {
 public:
  using Ref = std::uint32_t;

  Ref Add(std::string_view text);
  // The reference of an equal text that was interned before, or a new one.
  Ref Intern(std::string_view text);
  // Valid as long as the pool.
  std::string_view operator[](Ref ref) const;
  std::size_t bytes() const;

 private:
  static constexpr std::size_t kChunk = 65536;
  static constexpr std::size_t kLongest = 0x7FFF;

  void Grow();

  std::vector<std::unique_ptr<char[]>> chunks_;
  std::size_t used_ = kChunk;  // bytes used of the last chunk
  std::vector<Ref> buckets_;   // hash table of interned texts, with open addressing: reference + 1; 0: empty
  std::size_t interned_ = 0;
};

class ConcertTable {
 public:
  struct Record {
    PackedInt<8> id;
    PackedInt<6> opened_ms;
    PackedInt<6> duration_ms;
    std::uint32_t dates = 0;
    TextPool::Ref title = 0;
    TextPool::Ref artist = 0;
    TextPool::Ref venue = 0;
  };

  static_assert(sizeof(Record) == 36);

  // Absent: the table has the concert already, and nothing changes.
  std::optional<Row> Add(const ConcertSoldOut& sold_out);
  std::optional<Row> Find(ConcertId concert) const { return rows_.Find(concert); }
  std::size_t size() const { return rows_.size(); }

  SoldOutKey key(Row row) const {
    const auto& record = rows_[row];
    return {Millis{record.duration_ms}, record.dates, TimeFromMillis(record.opened_ms), record.id};
  }
  Millis duration(Row row) const { return Millis{rows_[row].duration_ms}; }
  void Prefetch(Row row) const { __builtin_prefetch(&rows_[row].duration_ms); }
  Time sold_out_at(Row row) const { return TimeFromMillis(rows_[row].opened_ms + rows_[row].duration_ms); }
  std::string_view title(Row row) const { return texts_[rows_[row].title]; }
  std::string_view artist(Row row) const { return texts_[rows_[row].artist]; }
  std::string_view venue(Row row) const { return texts_[rows_[row].venue]; }
  // True: the row equals `sold_out`.
  bool Equals(Row row, const ConcertSoldOut& sold_out) const;
  std::size_t bytes() const { return rows_.bytes() + texts_.bytes(); }

 private:
  RowTable<Record> rows_;
  TextPool texts_;
};

class ScheduleTable {
 public:
  struct Record {
    PackedInt<8> id;
    PackedInt<8> concert;
    PackedInt<6> started_ms;
    PackedInt<6> duration_ms;
    std::int32_t concert_day = 0;  // days since 1970-01-01
  };

  static_assert(sizeof(Record) == 32);

  std::optional<Row> Add(const ScheduleSoldOut& sold_out);
  std::optional<Row> Find(ScheduleId schedule) const { return rows_.Find(schedule); }
  std::size_t size() const { return rows_.size(); }

  SoldOutKey key(Row row) const {
    const auto& record = rows_[row];
    return {Millis{record.duration_ms}, 0, TimeFromMillis(record.started_ms), record.id};
  }
  Millis duration(Row row) const { return Millis{rows_[row].duration_ms}; }
  void Prefetch(Row row) const { __builtin_prefetch(&rows_[row].duration_ms); }
  Time sold_out_at(Row row) const { return TimeFromMillis(rows_[row].started_ms + rows_[row].duration_ms); }
  ConcertId concert(Row row) const { return rows_[row].concert; }
  Date concert_date(Row row) const {
    return Date{std::chrono::sys_days{std::chrono::days{rows_[row].concert_day}}};
  }
  bool Equals(Row row, const ScheduleSoldOut& sold_out) const;
  std::size_t bytes() const { return rows_.bytes(); }

 private:
  RowTable<Record> rows_;
};

}  // namespace maejin::embedded
