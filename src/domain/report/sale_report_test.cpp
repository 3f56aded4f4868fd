#include "domain/report/sale_report.h"

#include <gtest/gtest.h>

#include "domain/audit_chain.h"

namespace maejin {
namespace {

constexpr Time kSaleOpening = TimeFromMillis(1'767'225'600'000);

// One date with two seats of "A" for 100 each and one of "B" for 50, which is blocked.
std::vector<ReportDate> OneDate() {
  ReportDate date;
  date.id = 3;
  date.opened_at = kSaleOpening;
  date.layout = std::make_shared<SeatLayout>(std::vector<Section>{{"A", 1, 2, 100}, {"B", 1, 1, 50}},
                                             std::vector<SeatNumber>{});
  date.states = {SeatState::kAssigned, SeatState::kAvailable, SeatState::kBlocked};
  return {date};
}

ReportConcert ThisConcert() {
  ReportConcert concert;
  concert.id = 7;
  concert.opened_at = kSaleOpening;
  return concert;
}

Reservation Paid(std::int64_t number, SeatNumber seat, Millis after, ReservationStatus status) {
  Reservation reservation;
  reservation.number = number;
  reservation.concert = 7;
  reservation.schedule = 3;
  reservation.user = "user" + std::to_string(number);
  reservation.seats = {seat};
  reservation.amount = 100;
  reservation.status = status;
  reservation.held_at = kSaleOpening;
  reservation.paid_at = kSaleOpening + after;
  return reservation;
}

ReportAction Row(std::int64_t id, const std::string& before, std::string subject) {
  ReportAction row{id, kSaleOpening, "admin", "concert.open", std::move(subject), "", ""};
  row.hash = AuditHash(before, id, {row.at, row.actor, row.action, row.subject, row.detail});
  return row;
}

const ReportCheck& CheckOf(const SaleReport& report, std::string_view name) {
  const auto found = std::find_if(report.checks.begin(), report.checks.end(),
                                  [&](const ReportCheck& check) { return check.name == name; });
  return *found;
}

TEST(SaleReportTest, SectionIsSoldWhenEverySeatWasPaidOnceAlsoIfOneIsRefundedLater) {
  SaleReportBuilder builder(ThisConcert(), OneDate());
  builder.Add(Paid(1, 1, Millis{1500}, ReservationStatus::kConfirmed));
  builder.Add(Paid(2, 2, Millis{4000}, ReservationStatus::kRefunded));
  const auto report = builder.Finish(kSaleOpening);
  ASSERT_EQ(report.sections.size(), 2u);
  EXPECT_EQ(report.sections[0].sold_in, Millis{4000});
  EXPECT_EQ(report.sections[0].sold, 1);
  EXPECT_EQ(report.sections[1].seats, 0) << "blocked seats are not for sale";
  EXPECT_FALSE(report.sections[1].sold_in);
  EXPECT_EQ(report.bookings.revenue, 100);
  EXPECT_EQ(report.bookings.refunded_amount, 100);
  EXPECT_TRUE(report.Intact());
}

TEST(SaleReportTest, WrongAmountAndSeatOfTwoReservationsFailTheirChecks) {
  SaleReportBuilder builder(ThisConcert(), OneDate());
  auto wrong = Paid(1, 1, Millis{1}, ReservationStatus::kConfirmed);
  wrong.amount = 99;
  builder.Add(wrong);
  builder.Add(Paid(2, 1, Millis{2}, ReservationStatus::kConfirmed));
  const auto report = builder.Finish(kSaleOpening);
  EXPECT_FALSE(CheckOf(report, "amounts").ok);
  EXPECT_FALSE(CheckOf(report, "seats").ok);
  EXPECT_FALSE(report.Intact());
}

TEST(SaleReportTest, MissingOrChangedAuditRowBreaksTheChain) {
  const auto first = Row(1, "", "concert 7");
  const auto second = Row(2, first.hash, "room main");
  const auto third = Row(3, second.hash, "schedule 3");
  SaleReportBuilder whole(ThisConcert(), OneDate());
  for (const auto& row : {first, second, third}) whole.Add(row);
  const auto intact = whole.Finish(kSaleOpening);
  EXPECT_FALSE(intact.audit.broken);
  EXPECT_EQ(intact.moments.size(), 3u) << "opening, and the actions on this sale only";
  SaleReportBuilder gap(ThisConcert(), OneDate());
  for (const auto& row : {first, third}) gap.Add(row);
  EXPECT_EQ(gap.Finish(kSaleOpening).audit.broken, 3);
  SaleReportBuilder changed(ThisConcert(), OneDate());
  auto other = second;
  other.actor = "another";
  for (const auto& row : {first, other, third}) changed.Add(row);
  EXPECT_EQ(changed.Finish(kSaleOpening).audit.broken, 2);
}

TEST(SaleReportTest, PercentileIsTheNearestRank) {
  RoomTally tally;
  tally.waits = {{0, 50}, {10, 40}, {60, 10}};
  EXPECT_EQ(WaitPercentile(tally, 50), 0);
  EXPECT_EQ(WaitPercentile(tally, 51), 10);
  EXPECT_EQ(WaitPercentile(tally, 90), 10);
  EXPECT_EQ(WaitPercentile(tally, 99), 60);
  EXPECT_EQ(WaitPercentile(RoomTally(), 99), 0);
}

}  // namespace
}  // namespace maejin
