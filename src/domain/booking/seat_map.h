// The seats of one schedule: where they are, what they cost and what state each is in. Seat numbers run from
// 1 without gaps over all sections. So a number is also an index, and 100,000 seats take less than 1 MB. Pure
// and single-threaded: the owner of the map holds the lock.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/words.h"

namespace maejin {

enum class SeatState : std::uint8_t { kAvailable, kHeld, kAssigned, kBlocked };
inline constexpr std::array kSeatStates = {SeatState::kAvailable, SeatState::kHeld, SeatState::kAssigned,
                                           SeatState::kBlocked};

// "AVAILABLE", "HELD", "ASSIGNED", "BLOCKED".
std::string_view Name(SeatState state);

// `rows` rows of `seats_per_row` seats at one price, or, from a seat plan, rows of different lengths.
struct Section {
  std::string name;
  std::int32_t rows = 1;
  std::int32_t seats_per_row = 0;
  Money price = 0;
  // The length of each row, if rows differ; empty: `rows` rows of `seats_per_row` seats.
  std::vector<std::int32_t> row_lengths = {};
  // The outline on the plan: x1, y1, x2, y2, …; the stage is at the top. Empty: not drawn.
  std::vector<std::int32_t> shape = {};

  std::int64_t Seats() const;
  std::int32_t Rows() const;
  // `row` from 1.
  std::int32_t SeatsInRow(std::int32_t row) const;
};

inline constexpr std::int64_t kMaxSeatsPerSchedule = 100'000;

// available + held + assigned + blocked = all seats (I2).
struct SeatCounts {
  std::int64_t available = 0;
  std::int64_t held = 0;
  std::int64_t assigned = 0;
  std::int64_t blocked = 0;

  // Blocked seats are not for sale, and a sell-out does not need them.
  std::int64_t ForSale() const { return available + held + assigned; }
  bool SoldOut() const { return assigned > 0 && available == 0 && held == 0; }
  SeatCounts& operator+=(const SeatCounts& other);
  SeatCounts& operator-=(const SeatCounts& other);
  friend bool operator==(const SeatCounts&, const SeatCounts&) = default;
};

// A row of seats: numbers first … first + count - 1 of a section.
struct SeatRow {
  std::uint32_t section = 0;
  std::int32_t row = 1;  // from 1, within the section
  SeatNumber first = 1;
  std::int32_t count = 0;
};

// Where the seats are. Never changes, so readers may share it without a lock.
class SeatLayout {
 public:
  SeatLayout(std::vector<Section> sections, const std::vector<SeatNumber>& wheelchair);

  SeatNumber size() const { return size_; }
  bool Has(SeatNumber seat) const { return seat >= 1 && seat <= size_; }
  bool HasSection(std::string_view name) const {
    return std::any_of(sections_.begin(), sections_.end(),
                       [&](const Section& each) { return each.name == name; });
  }
  const std::vector<Section>& sections() const { return sections_; }
  // Ascending by number.
  const std::vector<SeatRow>& rows() const { return rows_; }
  // Ascending.
  const std::vector<SeatNumber>& wheelchair() const { return wheelchair_; }
  // Preconditions: Has(seat).
  const SeatRow& RowOf(SeatNumber seat) const;
  // Of all sections.
  Money LowestPrice() const;
  Money PriceOf(SeatNumber seat) const { return sections_[RowOf(seat).section].price; }
  // The label on a ticket: section, row and position in the row, "VIP 3-12".
  std::string LabelOf(SeatNumber seat) const;

 private:
  std::vector<Section> sections_;
  std::vector<SeatRow> rows_;
  std::vector<SeatNumber> wheelchair_;
  SeatNumber size_ = 0;
};

// The first criterion for the best available seats. The second is the row nearest to the front, the third the
// middle of the row. kOrder: sections in the organiser's order, the best first. kDistance: all sections are
// equal. kPrice: the cheapest first.
enum class SeatPreference : std::uint8_t { kOrder, kDistance, kPrice };

// The seats that a customer prefers, if the server chooses them.
struct BestAvailable {
  std::int32_t count = 1;
  std::optional<std::string> section = {};
  std::optional<Money> max_price = {};
  SeatPreference prefer = SeatPreference::kOrder;
};

class SeatMap {
 public:
  // No reservation has the seat.
  static constexpr std::uint32_t kNoReservation = UINT32_MAX;

  // `first_version` is greater than any version a map of this schedule ever had, also before a restart.
  SeatMap(std::shared_ptr<const SeatLayout> layout, std::uint64_t first_version);

  const std::shared_ptr<const SeatLayout>& layout() const { return layout_; }
  const SeatCounts& counts() const { return counts_; }
  // Indexed by number - 1.
  const std::vector<SeatState>& states() const { return states_; }
  // Preconditions: layout()->Has(seat).
  SeatState StateOf(SeatNumber seat) const { return states_[Index(seat)]; }
  std::uint32_t OwnerOf(SeatNumber seat) const { return owners_[Index(seat)]; }

  // Moves a seat to a state; `owner` is its reservation (kNoReservation for AVAILABLE and BLOCKED).
  void Set(SeatNumber seat, SeatState state, std::uint32_t owner);

  // Grows by one with every change of a seat.
  std::uint64_t version() const { return version_; }
  // The seats that changed after `version`, each once, ascending; absent if `version` is too old.
  std::optional<std::vector<SeatNumber>> ChangedSince(std::uint64_t version) const;

  std::size_t bytes() const {
    return states_.capacity() + (owners_.capacity() + recent_.capacity()) * sizeof(SeatNumber);
  }

  // The best `wish.count` adjacent available seats of one row; empty: no row has them.
  std::vector<SeatNumber> FindBest(const BestAvailable& wish) const;

 private:
  // How many changes are remembered for ChangedSince().
  static constexpr std::size_t kMaxRemembered = 16'384;

  static std::size_t SlotOf(std::uint64_t change) {
    return static_cast<std::size_t>((change - 1) % kMaxRemembered);
  }
  static std::size_t Index(SeatNumber seat) { return static_cast<std::size_t>(seat - 1); }
  std::int64_t& CountOf(SeatState state);

  std::shared_ptr<const SeatLayout> layout_;
  std::vector<SeatState> states_;
  std::vector<std::uint32_t> owners_;
  SeatCounts counts_;
  std::uint64_t first_version_;
  std::uint64_t version_;
  // A ring: the seat of the n-th change is at (n - 1) % kMaxRemembered. It grows with each change up to that
  // size, because most dates have few changes.
  std::vector<SeatNumber> recent_;
};

}  // namespace maejin
