// The life of a concert apart from its dates: details, opening, whether it is closed or cancelled, and the
// rules of its status. Base of ConcertDates (concert_dates.h). Pure and single-threaded.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time.h"
#include "domain/booking/booking_requests.h"
#include "domain/booking/booking_rules.h"
#include "domain/booking/seat_map.h"
#include "domain/refusal.h"

namespace maejin {

enum class ConcertStatus : std::uint8_t { kScheduled, kOpen, kSoldOut, kClosed, kCancelled };
std::string_view Name(ConcertStatus status);
// What the status of a concert depends on. Only `dates` counts cancelled dates.
struct SaleFacts {
  bool cancelled = false;
  bool closed = false;
  std::optional<Time> booking_open_at = {};
  std::int64_t dates = 0;    // all
  std::int64_t living = 0;   // not cancelled
  std::int64_t selling = 0;  // of the living dates, those before the end of their sale
  SeatCounts counts = {};    // of living dates
  SeatCounts on_sale = {};   // of selling dates

  void AddDate(bool date_cancelled, Time sales_end_at, const SeatCounts& seats, Time now);
};
// SOLD_OUT: some seats are paid, and the dates that still sell have no unpaid seat. The last unpaid seat may
// have been paid or blocked, or its date cancelled. CLOSED also if the sale of every date has ended,
// CANCELLED also if every date is cancelled.
ConcertStatus StatusAt(const SaleFacts& sale, Time now);

// Why a concert sells nothing at the moment.
enum class SaleEnd : std::uint8_t { kNone, kSoldOut, kClosed, kCancelled };
// "sold-out", "closed", "cancelled"; "" for kNone.
std::string_view Name(SaleEnd end);
SaleEnd SaleEndOf(ConcertStatus status);

class ConcertLife {
 public:
  ConcertLife(ConcertId id, ConcertDetails details, Time created_at)
      : details_(std::move(details)), id_(id), created_at_(created_at) {}

  // --- reading
  ConcertId id() const { return id_; }
  const ConcertDetails& details() const { return details_; }
  Time created_at() const { return created_at_; }
  std::optional<Time> sold_out_at() const { return sold_out_at_; }
  bool cancelled() const { return cancelled_; }
  bool closed() const { return closed_; }
  // Grows with every change that the waiting room has to follow.
  std::int64_t life() const { return life_; }

  // --- the operator
  // Refuses: kConcertCancelled, kConcertClosed, kAlreadyOpen.
  Outcome<Done> Open(Time now);
  // Stops new holds; existing holds may still be paid. Refuses: kConcertCancelled.
  Outcome<Done> Close();
  // Undoes Close(). Refuses: kConcertCancelled, kNotClosed.
  Outcome<Done> Reopen();
  // Refuses as Changed() in booking_rules.h.
  Outcome<Done> Change(const ConcertPatch& patch, Time now);
  // Call after dates were added or changed.
  void CountLife() { ++life_; }

  // --- loading what was written before
  void RestoreState(bool cancelled, bool closed, std::int64_t life);
  void RestoreSoldOut(std::optional<Time> sold_out_at) { sold_out_at_ = sold_out_at; }

 protected:
  ConcertDetails details_;
  bool cancelled_ = false;
  std::optional<Time> sold_out_at_;

 private:
  ConcertId id_;
  Time created_at_;
  bool closed_ = false;
  std::int64_t life_ = kFirstLife;
};

}  // namespace maejin
