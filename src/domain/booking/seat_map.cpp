#include "domain/booking/seat_map.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace maejin {
namespace {

Money PreferredBy(SeatPreference preference, const SeatRow& row, const Section& section) {
  switch (preference) {
    case SeatPreference::kOrder:
      return row.section;
    case SeatPreference::kPrice:
      return section.price;
    case SeatPreference::kDistance:
      break;
  }
  return 0;
}

}  // namespace

std::string_view Name(SeatState state) {
  switch (state) {
    case SeatState::kAvailable:
      return "AVAILABLE";
    case SeatState::kHeld:
      return "HELD";
    case SeatState::kAssigned:
      return "ASSIGNED";
    case SeatState::kBlocked:
      return "BLOCKED";
  }
  return "";
}

std::int64_t Section::Seats() const {
  if (row_lengths.empty()) return std::int64_t{rows} * seats_per_row;
  std::int64_t seats = 0;
  for (const auto length : row_lengths) seats += length;
  return seats;
}

std::int32_t Section::Rows() const {
  return row_lengths.empty() ? rows : static_cast<std::int32_t>(row_lengths.size());
}

std::int32_t Section::SeatsInRow(std::int32_t row) const {
  return row_lengths.empty() ? seats_per_row : row_lengths[static_cast<std::size_t>(row - 1)];
}

SeatCounts& SeatCounts::operator+=(const SeatCounts& other) {
  available += other.available;
  held += other.held;
  assigned += other.assigned;
  blocked += other.blocked;
  return *this;
}

SeatCounts& SeatCounts::operator-=(const SeatCounts& other) {
  available -= other.available;
  held -= other.held;
  assigned -= other.assigned;
  blocked -= other.blocked;
  return *this;
}

SeatLayout::SeatLayout(std::vector<Section> sections, const std::vector<SeatNumber>& wheelchair)
    : sections_(std::move(sections)), wheelchair_(wheelchair) {
  std::sort(wheelchair_.begin(), wheelchair_.end());
  SeatNumber next = 1;
  for (std::uint32_t s = 0; s < sections_.size(); ++s) {
    for (std::int32_t row = 1; row <= sections_[s].Rows(); ++row) {
      const auto count = sections_[s].SeatsInRow(row);
      rows_.push_back({s, row, next, count});
      next += count;
    }
  }
  size_ = next - 1;
}

const SeatRow& SeatLayout::RowOf(SeatNumber seat) const {
  const auto after =
      std::upper_bound(rows_.begin(), rows_.end(), seat,
                       [](SeatNumber number, const SeatRow& row) { return number < row.first; });
  return *std::prev(after);
}

Money SeatLayout::LowestPrice() const {
  auto lowest = sections_.front().price;
  for (const auto& section : sections_) lowest = std::min(lowest, section.price);
  return lowest;
}

std::string SeatLayout::LabelOf(SeatNumber seat) const {
  const auto& row = RowOf(seat);
  return sections_[row.section].name + ' ' + std::to_string(row.row) + '-' +
         std::to_string(seat - row.first + 1);
}

SeatMap::SeatMap(std::shared_ptr<const SeatLayout> layout, std::uint64_t first_version)
    : layout_(std::move(layout)),
      states_(static_cast<std::size_t>(layout_->size()), SeatState::kAvailable),
      owners_(states_.size(), kNoReservation),
      first_version_(first_version),
      version_(first_version) {
  counts_.available = layout_->size();
}

std::int64_t& SeatMap::CountOf(SeatState state) {
  switch (state) {
    case SeatState::kAvailable:
      return counts_.available;
    case SeatState::kHeld:
      return counts_.held;
    case SeatState::kAssigned:
      return counts_.assigned;
    case SeatState::kBlocked:
      break;
  }
  return counts_.blocked;
}

void SeatMap::Set(SeatNumber seat, SeatState state, std::uint32_t owner) {
  const auto index = Index(seat);
  --CountOf(states_[index]);
  ++CountOf(state);
  states_[index] = state;
  owners_[index] = owner;
  ++version_;
  const auto slot = SlotOf(version_ - first_version_);
  if (slot == recent_.size()) {
    recent_.push_back(seat);
  } else {
    recent_[slot] = seat;
  }
}

std::optional<std::vector<SeatNumber>> SeatMap::ChangedSince(std::uint64_t version) const {
  if (version < first_version_ || version > version_ || version_ - version > kMaxRemembered) return {};
  std::vector<SeatNumber> changed;
  for (auto v = version + 1; v <= version_; ++v) changed.push_back(recent_[SlotOf(v - first_version_)]);
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  return changed;
}

std::vector<SeatNumber> SeatMap::FindBest(const BestAvailable& wish) const {
  // (preference, row, distance from the middle of the row, number): the smallest is the best.
  using Score = std::tuple<Money, std::int32_t, std::int32_t, SeatNumber>;
  std::optional<Score> best;
  for (const auto& row : layout_->rows()) {
    // Rows are in the order of sections, then from the front: a later one is not better.
    if (best && wish.prefer == SeatPreference::kOrder) break;
    const auto& section = layout_->sections()[row.section];
    if (wish.section && *wish.section != section.name) continue;
    if (wish.max_price && section.price > *wish.max_price) continue;
    std::int32_t free = 0;
    for (std::int32_t i = 0; i < row.count; ++i) {
      free = StateOf(row.first + i) == SeatState::kAvailable ? free + 1 : 0;
      if (free < wish.count) continue;
      const auto begin = i - wish.count + 1;
      const auto off_centre = std::abs(2 * begin + wish.count - row.count);
      const Score score{PreferredBy(wish.prefer, row, section), row.row, off_centre, row.first + begin};
      if (!best || score < *best) best = score;
    }
  }
  std::vector<SeatNumber> seats;
  if (!best) return seats;
  for (std::int32_t i = 0; i < wish.count; ++i) seats.push_back(std::get<3>(*best) + i);
  return seats;
}

}  // namespace maejin
