#include "adapters/embedded/sold_out_table.h"

#include <cstring>
#include <functional>

namespace maejin::embedded {

// A length prefix precedes the text: one byte, or two bytes of which the first has its high bit set.
TextPool::Ref TextPool::Add(std::string_view text) {
  text = text.substr(0, kLongest);
  const std::size_t head = text.size() < 0x80 ? 1 : 2;
  if (used_ + head + text.size() > kChunk) {
    chunks_.push_back(std::make_unique<char[]>(kChunk));
    used_ = 0;
  }
  const auto ref = static_cast<Ref>((chunks_.size() - 1) * kChunk + used_);
  char* at = chunks_.back().get() + used_;
  if (head == 2) *at++ = static_cast<char>(0x80 | (text.size() >> 8));
  *at++ = static_cast<char>(text.size() & 0xFF);
  std::memcpy(at, text.data(), text.size());
  used_ += head + text.size();
  return ref;
}

std::string_view TextPool::operator[](Ref ref) const {
  const char* at = chunks_[ref / kChunk].get() + ref % kChunk;
  std::size_t size = static_cast<unsigned char>(*at++);
  if (size >= 0x80) size = (size & 0x7F) << 8 | static_cast<unsigned char>(*at++);
  return {at, size};
}

TextPool::Ref TextPool::Intern(std::string_view text) {
  if ((interned_ + 1) * 4 > buckets_.size() * 3) Grow();
  const auto mask = buckets_.size() - 1;
  auto at = std::hash<std::string_view>{}(text)&mask;
  for (; buckets_[at] != 0; at = (at + 1) & mask) {
    if ((*this)[buckets_[at] - 1] == text) return buckets_[at] - 1;
  }
  const auto ref = Add(text);
  buckets_[at] = ref + 1;
  ++interned_;
  return ref;
}

void TextPool::Grow() {
  std::vector<Ref> old(buckets_.empty() ? 64 : buckets_.size() * 2, 0);
  old.swap(buckets_);
  const auto mask = buckets_.size() - 1;
  for (const Ref entry : old) {
    if (entry == 0) continue;
    auto at = std::hash<std::string_view>{}((*this)[entry - 1]) & mask;
    while (buckets_[at] != 0) at = (at + 1) & mask;
    buckets_[at] = entry;
  }
}

std::size_t TextPool::bytes() const { return chunks_.size() * kChunk + buckets_.capacity() * sizeof(Ref); }

std::optional<Row> ConcertTable::Add(const ConcertSoldOut& sold_out) {
  if (rows_.Find(sold_out.concert)) return {};
  return rows_.Add({.id = sold_out.concert,
                    .opened_ms = ToMillis(sold_out.booking_open_at),
                    .duration_ms = (sold_out.sold_out_at - sold_out.booking_open_at).count(),
                    .dates = static_cast<std::uint32_t>(sold_out.dates),
                    .title = texts_.Add(sold_out.title),
                    .artist = texts_.Intern(sold_out.artist),
                    .venue = texts_.Intern(sold_out.venue)});
}

bool ConcertTable::Equals(Row row, const ConcertSoldOut& sold_out) const {
  return key(row) == KeyOf(sold_out) && title(row) == sold_out.title && artist(row) == sold_out.artist &&
         venue(row) == sold_out.venue;
}

std::optional<Row> ScheduleTable::Add(const ScheduleSoldOut& sold_out) {
  if (rows_.Find(sold_out.schedule)) return {};
  const auto day = std::chrono::sys_days{sold_out.concert_date}.time_since_epoch().count();
  return rows_.Add({.id = sold_out.schedule,
                    .concert = sold_out.concert,
                    .started_ms = ToMillis(sold_out.started_at),
                    .duration_ms = (sold_out.sold_out_at - sold_out.started_at).count(),
                    .concert_day = static_cast<std::int32_t>(day)});
}

bool ScheduleTable::Equals(Row row, const ScheduleSoldOut& sold_out) const {
  return key(row) == KeyOf(sold_out) && concert(row) == sold_out.concert &&
         concert_date(row) == sold_out.concert_date;
}

}  // namespace maejin::embedded
