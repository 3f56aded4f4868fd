// The report of one sale: figures, time line and fairness certificate, computed from durable rows. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "domain/booking/reservation.h"
#include "domain/booking/seat_map.h"
#include "domain/waiting_room/draws.h"
#include "domain/waiting_room/room_tally.h"

namespace maejin {

// One date of the sale.
struct ReportDate {
  ScheduleId id = 0;
  Date date{};
  bool cancelled = false;
  std::optional<Time> opened_at;  // of the date, or of the concert
  std::optional<Time> sold_out_at;
  std::shared_ptr<const SeatLayout> layout;
  std::vector<SeatState> states;  // by number - 1
};

// One row of the audit log, with its hash.
struct ReportAction {
  std::int64_t id = 0;
  Time at{};
  std::string actor;
  std::string action;
  std::string subject;
  std::string detail;
  std::string hash;
};

struct ReportConcert {
  ConcertId id = 0;
  std::string title;
  std::string artist;
  std::string venue;
  std::string status;
  std::optional<Time> opened_at;
  std::optional<Time> sold_out_at;
};

// One section of one date. `sold_in`: from the opening until every seat had been paid once; absent: some seat
// was never paid.
struct ReportSection {
  ScheduleId schedule = 0;
  Date date{};
  std::string name;
  Money price = 0;
  std::int64_t seats = 0;  // for sale
  std::int64_t sold = 0;   // paid now
  std::optional<Millis> sold_in;
};

struct ReportBookings {
  std::int64_t holds = 0;    // reservations made
  std::int64_t holders = 0;  // customers that made one
  std::int64_t paid = 0;     // reservations that were paid, refunded ones included
  std::int64_t buyers = 0;   // customers that paid one
  std::int64_t expired = 0;
  std::int64_t cancelled = 0;
  std::int64_t refunded = 0;
  std::int64_t seats_for_sale = 0;
  std::int64_t seats_sold = 0;  // paid now
  Money revenue = 0;            // of reservations that are paid now
  Money refunded_amount = 0;
};

// One moment of the sale. `what`: "opened", "first-hold", "first-payment", "section-sold", "date-sold-out",
// "sold-out", or an operator's action.
struct ReportMoment {
  Time at{};
  std::string what;
  std::string subject;
  std::optional<ReportAction> action = {};  // absent: a moment of the sale itself
};

struct ReportDraw {
  Draw draw;
  bool verified = false;  // seed, commitment and order fit
};

struct ReportCheck {
  std::string_view name;  // "audit-chain", "draws", "amounts", "seats"
  bool ok = true;
  std::string detail = {};  // what is wrong, or empty
};

struct AuditSummary {
  std::int64_t rows = 0;
  std::int64_t last_id = 0;
  std::string hash;                         // of the last row
  std::optional<std::int64_t> broken = {};  // the first row that does not fit the chain
};

struct SaleReport {
  Time generated_at{};
  ReportConcert concert;
  // Absent: the concert has no room of its own.
  std::optional<RoomTally> line;
  std::vector<ReportDraw> draws;
  ReportBookings bookings;
  std::vector<ReportSection> sections;
  std::map<std::string, std::int64_t> refusals;  // of holds, by code
  std::vector<ReportMoment> moments;             // ascending by time
  // SHA-256, in hexadecimal, over one text line for each reservation that was paid, ascending by number:
  // "number id schedule seat,seat amount paidAt\n", paidAt in milliseconds.
  std::string bookings_digest;
  AuditSummary audit;
  std::vector<ReportCheck> checks;

  std::int64_t DropOuts() const { return line ? line->arrivals - line->admissions - line->waiting : 0; }
  bool Intact() const;
};

// Takes the rows of one sale in any number of calls. Not thread-safe.
class SaleReportBuilder {
 public:
  SaleReportBuilder(ReportConcert concert, std::vector<ReportDate> dates);

  // Ascending by number.
  void Add(const Reservation& reservation);
  // Call with every row of the audit log, ascending by id, after all reservations. Checks the chain, and
  // keeps the actions on this sale.
  void Add(const ReportAction& row);
  void SetLine(RoomTally tally, const std::vector<Draw>& draws);
  void SetRefusals(std::map<std::string, std::int64_t> refusals);
  SaleReport Finish(Time now);

 private:
  struct DateSale {
    ReportDate date;
    std::vector<std::optional<Time>> first_paid;  // by number - 1
    std::vector<std::uint8_t> owners;             // how many living reservations have the seat, by number - 1
  };

  void CheckSeats(const Reservation& reservation, DateSale& sale);
  bool IsOfSale(const ReportAction& row) const;
  void AddSections();
  void AddMoments();

  SaleReport report_;
  std::map<ScheduleId, DateSale> dates_;
  std::set<UserId> holders_;
  std::set<UserId> buyers_;
  std::set<std::string> reservations_;
  std::vector<ReportAction> actions_;
  std::string paid_rows_;
  ReportCheck amounts_{"amounts"};
  ReportCheck seats_{"seats"};
  std::optional<Time> first_hold_;
  std::optional<Time> first_payment_;
};

}  // namespace maejin
