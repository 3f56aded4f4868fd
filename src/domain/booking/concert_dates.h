// A concert without its customers: what the operator decided, its dates and their seats. Base of Concert
// (concert.h). Pure and single-threaded.
#pragma once

#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "domain/booking/booking_requests.h"
#include "domain/booking/booking_rules.h"
#include "domain/booking/seat_map.h"
#include "domain/refusal.h"
#include "domain/words.h"

namespace maejin {

enum class ConcertStatus : std::uint8_t { kScheduled, kOpen, kSoldOut, kClosed, kCancelled };
std::string_view Name(ConcertStatus status);
// What the status of a concert depends on.
struct SaleFacts {
  bool cancelled = false;
  bool closed = false;
  std::optional<Time> booking_open_at;
  std::optional<Time> sold_out_at;
  SeatCounts counts;
};
// Sold out only where a payment sold the last seat: blocking a seat or cancelling a date takes seats off the
// sale, and sells nothing.
ConcertStatus StatusAt(const SaleFacts& sale, Time now);

struct Schedule {
  ScheduleId id = 0;
  Date date{};
  std::optional<Time> starts_at;
  std::optional<Time> booking_open_at;
  Time created_at;
  bool cancelled = false;
  std::optional<Time> sold_out_at;  // the first time; never changes afterwards
  SeatMap seats;
};

class ConcertDates {
 public:
  ConcertDates(ConcertId id, ConcertDetails details, Time created_at);

  // --- reading
  ConcertId id() const { return id_; }
  const ConcertDetails& details() const { return details_; }
  Time created_at() const { return created_at_; }
  std::optional<Time> sold_out_at() const { return sold_out_at_; }
  bool cancelled() const { return cancelled_; }
  bool closed() const { return closed_; }
  ConcertStatus StatusAt(Time now) const;
  // Over all dates that are not cancelled.
  const SeatCounts& counts() const { return counts_; }
  // Ascending by id.
  const std::deque<Schedule>& schedules() const { return schedules_; }
  const Schedule* FindSchedule(ScheduleId id) const;
  SaleWindow WindowOf(const Schedule& schedule) const;
  // Refuses: kScheduleNotFound, kNotOpen.
  Outcome<const Schedule*> OnSale(ScheduleId schedule, Time now) const;

  // --- the operator
  // Ids increase. `loaded_at`: now, or when it was read back from disk (versions of its seat map start
  // there). Returned references stay valid.
  Schedule& AddSchedule(ScheduleId id, const SchedulePlan& plan, Time created_at, Time loaded_at);
  // Refuses: kNotOpen (cancelled or closed), kAlreadyOpen.
  Outcome<Done> Open(Time now);
  // No more holds; what is held may still be paid. Refuses: kNotOpen (cancelled).
  Outcome<Done> Close();
  // Blocks seats that are AVAILABLE, all or none; those blocked before stay so. Refuses: kScheduleNotFound,
  // kSeatNotFound, kSeatTaken, kSeatHeld.
  Outcome<Done> Block(ScheduleId schedule, const std::vector<SeatNumber>& seats);
  // Puts blocked seats on sale; others stay as they are. Refuses: kScheduleNotFound, kSeatNotFound.
  Outcome<Done> Unblock(ScheduleId schedule, const std::vector<SeatNumber>& seats);

  // --- loading what was written before
  void RestoreState(bool cancelled, bool closed);
  void RestoreCancelled(ScheduleId schedule);
  void RestoreSoldOut(std::optional<Time> concert_sold_out_at) { sold_out_at_ = concert_sold_out_at; }
  void RestoreSoldOut(ScheduleId schedule, Time sold_out_at);

 protected:
  Schedule* Find(ScheduleId id) { return const_cast<Schedule*>(FindSchedule(id)); }
  // Moves seats to a state; `owner` is the reservation that has them. Counters of date and concert change
  // together. A seat that another reservation has ends the process (I1).
  void Move(Schedule& schedule, const std::vector<SeatNumber>& seats, SeatState state, std::uint32_t owner);
  // The date counts in no total any more. A repeated call changes nothing.
  void MarkCancelled(Schedule& schedule);

  ConcertDetails details_;
  bool cancelled_ = false;
  std::optional<Time> sold_out_at_;
  std::deque<Schedule> schedules_;

 private:
  ConcertId id_;
  Time created_at_;
  bool closed_ = false;
  SeatCounts counts_;
};

}  // namespace maejin
