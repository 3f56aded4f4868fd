#include "adapters/redis/waiting_room/mirror.h"

#include <algorithm>

#include "base/numbers.h"
#include "base/take_until.h"

namespace maejin::redis {
namespace {

constexpr std::string_view kEndings = "LPXAR";  // in the order of Ending
// A word with more places is damaged: no script changes that many places at once.
constexpr std::uint32_t kMostAtOnce = 1'000'000;

// Reads a bitmap of Redis: the highest bit of a byte is the first.
Line LineOf(std::string_view bytes, Line::Index from, Line::Index end) {
  Line line;
  for (Line::Index index = from; index < end && index / 8 < bytes.size(); ++index) {
    if ((static_cast<unsigned char>(bytes[index / 8]) >> (7 - index % 8) & 1) != 0) line.Set(index);
  }
  return line;
}

}  // namespace

bool Mirror::Load(const RoomRecord& record, Time now) {
  const auto& info = record.info;
  if (loaded_ && std::pair(info.epoch, record.changes) < std::pair(epoch_, changes_)) return false;
  *this = Mirror();
  loaded_ = true;
  epoch_ = info.epoch;
  changes_ = record.changes;
  last_number_ = info.last_number;
  sum_ = record.line_sum;
  draws_ = Draws(info.draws);
  for (const auto& [step, entries] : record.entries) {
    for (std::int64_t i = 0; i < entries; ++i) outflow_.Count(TimeFromMillis(step * 10'000));
  }
  skipped_ = LineOf(record.skips, 0, Line::kNone);
  line_ = LineOf(record.line, 0, Line::kNone);
  settled_at_ = record.lost_at + info.settings.grace;
  if (record.lost_at == Time{} || now >= settled_at_) return true;
  if (record.merged < record.nodes) merged_at_ = record.lost_at + RoomRecord::kMergeWait;
  knows_before_ = !record.before.empty();
  before_end_ = knows_before_ ? record.before_range : record.lost_number;
  auto before = LineOf(record.before, 0, before_end_);
  line_.ForEach(before_end_, Line::kNone, [&](Line::Index order) { before.Set(order); });
  here_ = std::exchange(line_, std::move(before));
  return true;
}

void Mirror::Settle(Time now) {
  if (!here_ || now < settled_at_) return;
  line_ = std::move(*here_);
  here_.reset();
}

bool Mirror::Fits(std::uint32_t waiting, std::uint32_t sum) const {
  return InRedis().Count() == waiting && sum_ == sum;
}

std::optional<std::uint32_t> Mirror::RankOf(PlaceNumber number, Time now) {
  Settle(now);
  if (const auto from = draws_.UndrawnFrom(); from != 0 && number >= from) return {};
  const auto order = OrderOf(number);
  if (here_ && (now < merged_at_ || (!knows_before_ && order < before_end_))) return {};
  return line_.Rank(order);
}

Mirror::Bits Mirror::LineBits() const {
  Bits bits{last_number_, std::string((last_number_ + 7) / 8, '\0')};
  line_.ForEach(0, last_number_, [&](Line::Index order) {
    bits.bytes[order / 8] = static_cast<char>(bits.bytes[order / 8] | 0x80 >> order % 8);
  });
  return bits;
}

void Mirror::PutBack(Line::Index order) {
  if (!here_ || order >= before_end_) line_.Set(order);
  if (here_) here_->Set(order);
  sum_ += order;
}

void Mirror::Leave(Line::Index order) {
  const bool was_here = here_ ? here_->Clear(order) : line_.Test(order);
  line_.Clear(order);
  skipped_.Clear(order);
  if (was_here) sum_ -= order;
}

// A word is an operation, a place and, for several places in a row, ':' and their number. False: an unknown
// word, or one that requires reading the room again.
bool Mirror::Do(std::string_view word, Time at, RoomStats& stats) {
  const auto colon = std::min(word.find(':'), word.size());
  const auto first = word.empty() ? std::nullopt : ParseInt<std::uint32_t>(word.substr(1, colon - 1));
  const auto count = colon < word.size() ? ParseInt<std::uint32_t>(word.substr(colon + 1)) : 1;
  if (!first || !count || *count > kMostAtOnce) return false;
  if (word.front() == '+') {
    stats.arrivals += *count;
    last_number_ = std::max(last_number_, *first + *count);
  }
  for (auto place = *first; place < *first + *count; ++place) {
    if (!DoOne(word.front(), place, at, stats)) return false;
  }
  return true;
}

bool Mirror::DoOne(char operation, Line::Index place, Time at, RoomStats& stats) {
  const auto is = [operation](std::string_view some) { return some.find(operation) != some.npos; };
  if (is("tn")) ++stats.no_shows;
  if (is(kEndings)) ++stats.ends[kEndings.find(operation)];
  if (is(">")) {
    ++stats.admissions;
    outflow_.Count(at);
  }
  if (is("+") || (is("^") && !InRedis().Test(place))) PutBack(place);
  if (is(">!") || is(kEndings)) Leave(place);
  if (is("st")) skipped_.Set(place);
  if (is("c")) skipped_.Clear(place);
  return is("+^>!stcn") || is(kEndings);
}

bool Mirror::Follow(std::string_view entry, RoomStats& stats) {
  const auto number = ParseInt<std::uint32_t>(TakeUntil(entry, ' '));
  const auto at = ParseInt<std::int64_t>(TakeUntil(entry, ' '));
  if (!number || !at || !loaded_) return false;
  if (*number <= changes_) return true;
  if (*number != changes_ + 1) return false;
  while (!entry.empty()) {
    if (!Do(TakeUntil(entry, ' '), TimeFromMillis(*at), stats)) return false;
  }
  changes_ = *number;
  return true;
}

}  // namespace maejin::redis
