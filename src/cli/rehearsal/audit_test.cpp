// Every check fails on an input with its defect, and none on a correct sale.
#include "cli/rehearsal/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "cli/rehearsal/report.h"

namespace maejin::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr ScheduleId kSchedule = 70;
const Time kOpening = TimeFromMillis(1'794'736'800'000);

// Three fans buy the three seats of a concert, one after the other, in a room of capacity 1; a fourth gets
// none.
class AuditTest : public ::testing::Test {
 protected:
  AuditTest() {
    state_.status = "SOLD_OUT";
    state_.total_seats = 3;
    state_.opened_at = kOpening;
    state_.sold_out_at = kOpening + Millis(3000);
    state_.capacity = 1;
    state_.most_entered = 1;
    state_.samples = 10;
    for (const auto* window : {"daily", "weekly", "monthly", "all"})
      state_.rankings.push_back({.window = window, .times = 0});
    state_.sell_outs = {{.concert = 12, .duration_millis = 5000, .rows = {}}};
    for (const auto* window : {"daily", "weekly", "monthly", "all"})
      state_.sell_outs[0].rows.push_back({.window = window, .times = 1, .rank = 1, .duration_millis = 5000});
    for (int fan = 1; fan <= 3; ++fan) Buys(fan);
    Join(4);
    Leave(4);
  }

  static std::string User(int fan) { return fmt::format("fan-{}", fan); }
  static std::string Number(int fan) { return fmt::format("reservation-{}", fan); }

  // Records a request that is answered 2 ms later. `body` is JSON.
  void OnExchange(FanStep step, int fan, int status, const std::string& body = "{}") {
    now_ += std::chrono::milliseconds(5);
    FanAnswer answer;
    answer.status = status;
    answer.body = boost::json::parse(body);
    answer.sent = now_;
    now_ += std::chrono::milliseconds(2);
    answer.answered = now_;
    const auto user = User(fan);
    const auto reservation = Number(fan);
    ledger_.OnExchange({step, user, reservation, answer});
  }

  void Join(int fan, int number = 0, int rank = 0) {
    OnExchange(FanStep::kJoin, fan, 201,
               fmt::format(R"({{"status":"waiting","number":{},"rank":{},"pollAfterMs":1000}})",
                           number == 0 ? fan : number, rank));
  }
  void Poll(int fan, const char* status, int rank) {
    OnExchange(FanStep::kPoll, fan, 200,
               fmt::format(R"({{"status":"{}","rank":{},"pollAfterMs":1000}})", status, rank));
  }
  void Enter(int fan) { OnExchange(FanStep::kEnter, fan, 200, R"({"status":"entered"})"); }
  void Leave(int fan) { OnExchange(FanStep::kLeave, fan, 204, "null"); }
  void Hold(int fan, int seat) {
    OnExchange(FanStep::kHold, fan, 201,
               fmt::format(R"({{"reservationId":"{}","scheduleId":{},"seats":[{}]}})", Number(fan), kSchedule,
                           seat));
  }
  void Pay(int fan) {
    OnExchange(FanStep::kPay, fan, 200,
               fmt::format(R"({{"status":"CONFIRMED","paidAt":"{}","concertSoldOut":{}}})",
                           FormatTime(kOpening + Millis(fan * 1000)), fan == 3));
  }
  void Booked(int fan, int seat, const char* status = "CONFIRMED") {
    state_.seats[{kSchedule, seat}] = "ASSIGNED";
    state_.reservations.push_back({.id = Number(fan),
                                   .user = User(fan),
                                   .status = status,
                                   .schedule = kSchedule,
                                   .seats = {seat},
                                   .paid_at = kOpening + Millis(fan * 1000)});
  }
  void Buys(int fan) {
    Join(fan);
    Poll(fan, "ready", 0);
    Enter(fan);
    Hold(fan, fan);
    Pay(fan);
    Booked(fan, fan);
  }

  // As if the seats were sold only later: until then one is available.
  void SeatsRemain() {
    for (auto& [id, reserved] : ledger_.reservations)
      reserved.sent = reserved.answered = now_ + std::chrono::hours(1);
  }
  // All seats were held, and one returned.
  void SeatReturns() {
    for (auto& [id, reserved] : ledger_.reservations) reserved.sent = reserved.answered = now_;
    now_ += std::chrono::seconds(10);
    ledger_.reservations[Number(3)].given_back = now_;
  }
  // Fan 6 gets a turn before fan 5, which joined before.
  void Overtake() {
    Poll(6, "ready", 1);
    Poll(5, "waiting", 0);
  }

  AuditReport Report() const { return Audit(ledger_, state_, {.capacity = 1}); }
  // The names of the checks that found something.
  std::vector<std::string> Found() const {
    std::vector<std::string> names;
    for (const auto& check : Report().checks) {
      if (check.problems > 0) names.emplace_back(check.name);
    }
    return names;
  }

  Ledger ledger_;
  ServerState state_;
  Moment now_ = Moment{} + std::chrono::hours(1);
};

TEST_F(AuditTest, CorrectSaleHasNoProblems) {
  EXPECT_THAT(Found(), IsEmpty());
  EXPECT_TRUE(Report().holds());
  EXPECT_TRUE(Report().sold_out);
  for (const auto& check : Report().checks) {
    const bool rests_on_something = check.compared > 0 || check.name == "draw";
    EXPECT_TRUE(rests_on_something) << check.name;
  }
}

TEST_F(AuditTest, SeatPaidByTwoFansIsADoubleSale) {
  ledger_.reservations[Number(2)].seats = {1};
  state_.reservations[1].seats = {1};
  EXPECT_THAT(Found(), ::testing::Contains("double-sale"));
}

TEST_F(AuditTest, SeatInTwoConfirmedReservationsIsADoubleSale) {
  ledger_.unknown_holds[User(9)] = 1;
  Booked(9, 2);
  EXPECT_THAT(Found(), ::testing::Contains("double-sale"));
}

TEST_F(AuditTest, AcknowledgedPaymentMissingOnTheServerIsLost) {
  state_.reservations[0].status = "EXPIRED";
  EXPECT_THAT(Found(), ::testing::Contains("lost-reservation"));
}

TEST_F(AuditTest, PaidSeatThatIsFreeIsLost) {
  state_.seats[{kSchedule, 1}] = "AVAILABLE";
  EXPECT_THAT(Found(), ::testing::Contains("lost-reservation"));
}

TEST_F(AuditTest, PaymentAtAnotherTimeIsLost) {
  state_.reservations[0].paid_at = kOpening + Millis(1001);
  EXPECT_THAT(Found(), ElementsAre("lost-reservation"));
}

TEST_F(AuditTest, AcknowledgedHoldMissingOnTheServerIsLost) {
  Join(5);
  Hold(5, 1);
  Leave(5);
  EXPECT_THAT(Found(), ElementsAre("lost-reservation"));
}

TEST_F(AuditTest, ReservationOfAnotherUserIsLost) {
  state_.reservations[0].user = User(2);
  EXPECT_THAT(Found(), ElementsAre("lost-reservation"));
}

TEST_F(AuditTest, ConfirmedReservationWithoutPaymentIsAPhantom) {
  ledger_.reservations[Number(2)].outcome = FanOutcome::kHeld;
  EXPECT_THAT(Found(), ElementsAre("phantom-sale"));
}

TEST_F(AuditTest, RefusedPaymentThatIsConfirmedIsAPhantom) {
  ledger_.reservations[Number(2)].outcome = FanOutcome::kRefused;
  EXPECT_THAT(Found(), ElementsAre("phantom-sale"));
}

TEST_F(AuditTest, AssignedSeatWithoutReservationIsAPhantom) {
  state_.seats[{kSchedule, 4}] = "ASSIGNED";
  EXPECT_THAT(Found(), ::testing::Contains("phantom-sale"));
}

TEST_F(AuditTest, UnrequestedReservationIsReported) {
  Booked(9, 1, "EXPIRED");
  EXPECT_THAT(Found(), ElementsAre("unasked-reservation"));
}

TEST_F(AuditTest, LostHoldAnswerExplainsOneReservationOnly) {
  OnExchange(FanStep::kHold, 9, 0);
  Booked(9, 1, "EXPIRED");
  EXPECT_THAT(Found(), IsEmpty());
  EXPECT_EQ(Report().unknown_holds, 1);
  Booked(9, 1, "EXPIRED");
  EXPECT_THAT(Found(), ElementsAre("unasked-reservation"));
}

TEST_F(AuditTest, PaymentWithoutAnswerIsUnknownNotFailed) {
  auto& lost = ledger_.reservations[Number(1)];
  lost.outcome = FanOutcome::kUnknown;
  lost.paid_at.reset();
  EXPECT_THAT(Found(), IsEmpty());
  EXPECT_EQ(Report().unknown_sold, 1);
  state_.reservations[0].status = "EXPIRED";
  EXPECT_EQ(Report().unknown_not_sold, 1);
  EXPECT_THAT(Found(), ::testing::Not(::testing::Contains("lost-reservation")));
}

TEST_F(AuditTest, DuplicateReservationNumberIsReported) {
  Hold(1, 3);
  EXPECT_THAT(Found(), ElementsAre("unasked-reservation"));
}

TEST_F(AuditTest, WrongSeatCountIsReported) {
  state_.available_seats = 1;
  EXPECT_THAT(Found(), ElementsAre("seat-count"));
}

TEST_F(AuditTest, TwoAdmittedFansExceedCapacityOne) {
  for (const int fan : {5, 6}) {
    Join(fan);
    Enter(fan);
  }
  for (const int fan : {5, 6}) Leave(fan);
  EXPECT_THAT(Found(), ElementsAre("capacity"));
}

TEST_F(AuditTest, ServingAboveCapacityIsReported) {
  state_.most_entered = 2;
  EXPECT_THAT(Found(), ElementsAre("capacity"));
}

TEST_F(AuditTest, UnreleasedSlotIsReportedUnlessALeaveWasLost) {
  state_.entered = 1;
  EXPECT_THAT(Found(), ElementsAre("slots"));
  OnExchange(FanStep::kLeave, 4, 0);
  EXPECT_THAT(Found(), IsEmpty());
}

TEST_F(AuditTest, DuplicatePlaceNumberIsReported) {
  Join(5, 4);
  Leave(5);
  EXPECT_THAT(Found(), ElementsAre("door"));
}

TEST_F(AuditTest, LowerNumberForALaterJoinIsReported) {
  Join(6, 6);
  Join(5, 5);
  Leave(6);
  Leave(5);
  EXPECT_THAT(Found(), ElementsAre("door"));
}

TEST_F(AuditTest, FanOvertakenByALaterFanIsReported) {
  SeatsRemain();
  Join(5);
  Join(6, 6, 1);
  Overtake();
  Leave(5);
  Leave(6);
  EXPECT_THAT(Found(), ElementsAre("order"));
}

TEST_F(AuditTest, WaitAfterTheSeatsRanOutIsNoViolation) {
  Join(5);
  Join(6, 6, 1);
  Overtake();
  EXPECT_THAT(Found(), IsEmpty()) << "the turn of fan 5 ended with the last seat";
}

TEST_F(AuditTest, FanOvertakenAfterASeatReturnedIsReported) {
  SeatReturns();
  Join(5);
  Join(6, 6, 1);
  Overtake();
  EXPECT_THAT(Found(), IsEmpty()) << "turns follow the seat count with a delay";
  now_ += std::chrono::seconds(5);
  Join(7, 7, 0);
  Join(8, 8, 1);
  Poll(8, "ready", 1);
  Poll(7, "waiting", 0);
  EXPECT_THAT(Found(), ElementsAre("order"));
}

TEST_F(AuditTest, WaitingForASeatIsComparedWhateverTheOutlook) {
  SeatsRemain();
  Join(5);
  Join(6, 6, 1);
  Poll(6, "ready", 1);
  OnExchange(FanStep::kPoll, 5, 200,
             R"({"status":"waiting","rank":0,"pollAfterMs":1000,"outlook":"unlikely"})");
  EXPECT_THAT(Found(), ElementsAre("order"));
}

TEST_F(AuditTest, WaitAfterALostAnswerIsNoViolation) {
  SeatsRemain();
  Join(5);
  Join(6, 6, 1);
  Poll(6, "ready", 1);
  OnExchange(FanStep::kPoll, 4, 503, R"({"code":"unavailable"})");
  Poll(5, "waiting", 0);
  EXPECT_THAT(Found(), IsEmpty());
}

ShuffleSeed SeedThatSwapsTwo() {
  ShuffleSeed seed{};
  while (Shuffle(seed, 2).PositionOf(0) == 0) ++seed[0];
  return seed;
}

TEST_F(AuditTest, PreQueueFansAreOrderedByTheDraw) {
  PublishedDraw draw;
  draw.first = 5;
  draw.count = 2;
  draw.seed = SeedThatSwapsTwo();
  draw.algorithm = kShuffleAlgorithm;
  draw.commitment = Commitment(*draw.seed);
  draw.order_digest = OrderDigest(Shuffle(*draw.seed, 2));
  state_.draws = {draw};
  SeatsRemain();
  Join(5, 5, -1);
  Join(6, 6, -1);
  Poll(6, "ready", 0);
  Poll(5, "waiting", 1);
  EXPECT_THAT(Found(), IsEmpty());
  state_.draws.clear();
  EXPECT_THAT(Found(), ElementsAre("order")) << "without the draw, fan 5 was overtaken";
}

TEST_F(AuditTest, DrawAgainstItsCommitmentIsReported) {
  PublishedDraw draw;
  draw.algorithm = kShuffleAlgorithm;
  draw.first = 100;
  draw.count = 2;
  draw.seed = ShuffleSeed{1};
  draw.commitment = Commitment(ShuffleSeed{2});
  draw.order_digest = OrderDigest(Shuffle(*draw.seed, 2));
  state_.draws = {draw};
  EXPECT_THAT(Found(), ElementsAre("draw"));
}

TEST_F(AuditTest, RisingRankIsReported) {
  Join(5, 5, 3);
  Poll(5, "waiting", 2);
  EXPECT_THAT(Found(), IsEmpty());
  Poll(5, "waiting", 4);
  EXPECT_THAT(Found(), ElementsAre("rank"));
}

TEST_F(AuditTest, MissingSellOutIsReported) {
  state_.status = "OPEN";
  EXPECT_THAT(Found(), ElementsAre("sold-out"));
  EXPECT_FALSE(Report().sold_out);
}

TEST_F(AuditTest, SellOutBeforeTheLastPaymentIsReported) {
  state_.seats[{kSchedule, 4}] = "HELD";
  state_.total_seats = 4;
  EXPECT_THAT(Found(), ElementsAre("sold-out"));
}

TEST_F(AuditTest, SellOutAtAnotherTimeIsReported) {
  state_.sold_out_at = kOpening + Millis(2999);
  EXPECT_THAT(Found(), ElementsAre("sold-out"));
}

TEST_F(AuditTest, TwoPaymentsReportingTheSellOutAreReported) {
  ledger_.reservations[Number(1)].reported_sold_out = true;
  EXPECT_THAT(Found(), ElementsAre("sold-out"));
}

TEST_F(AuditTest, RehearsalOnAPublicBoardIsReported) {
  state_.rankings[2].times = 1;
  EXPECT_THAT(Found(), ElementsAre("no-public-row"));
}

TEST_F(AuditTest, SellOutTwiceOnABoardIsReported) {
  state_.sell_outs[0].rows[1].times = 2;
  EXPECT_THAT(Found(), ElementsAre("ranking"));
}

TEST_F(AuditTest, SellOutMissingOnABoardIsReported) {
  state_.sell_outs[0].rows[3].times = 0;
  EXPECT_THAT(Found(), ElementsAre("ranking"));
}

TEST_F(AuditTest, SellOutWithAnotherDurationIsReported) {
  state_.sell_outs[0].rows[0].duration_millis = 5001;
  EXPECT_THAT(Found(), ElementsAre("ranking"));
}

TEST_F(AuditTest, VerdictFollowsFromTheAudit) {
  RehearsalReport report;
  EXPECT_EQ(report.verdict(), Verdict::kIncomplete) << "without the server's state nothing passes";
  report.state = state_;
  report.audit = Report();
  EXPECT_EQ(report.verdict(), Verdict::kPassed);
  state_.rankings[0].times = 1;
  report.audit = Report();
  EXPECT_EQ(report.verdict(), Verdict::kFailed);
  EXPECT_THAT(ReportText(report), HasSubstr("BROKEN  I11"));
  EXPECT_THAT(ReportText(report), HasSubstr("1 rows on the daily board"));
  EXPECT_EQ(boost::json::parse(ReportJson(report)).at("verdict"), "failed");
}

TEST_F(AuditTest, UnsoldSaleIsIncompleteNotBroken) {
  state_.status = "OPEN";
  state_.sold_out_at.reset();
  state_.seats[{kSchedule, 3}] = "AVAILABLE";
  state_.available_seats = 1;
  state_.reservations.pop_back();
  ledger_.reservations.erase(Number(3));
  for (auto& row : state_.rankings) row.times = 0;
  RehearsalReport report;
  report.ended = "interrupted";
  report.state = state_;
  report.audit = Report();
  EXPECT_THAT(Found(), IsEmpty());
  EXPECT_EQ(report.verdict(), Verdict::kIncomplete);
  EXPECT_THAT(ReportText(report), HasSubstr("INCOMPLETE: interrupted"));
}

TEST_F(AuditTest, LedgersOfTwoThreadsMerge) {
  Ledger other;
  other.reservations[Number(1)] = {};
  other.answers[{FanStep::kJoin, 201}] = 2;
  const auto joins = ledger_.answers[{FanStep::kJoin, 201}];
  ledger_.Add(std::move(other));
  EXPECT_EQ((ledger_.answers[{FanStep::kJoin, 201}]), joins + 2);
  EXPECT_EQ(ledger_.duplicate_reservation_ids, 1) << "one number for two fans";
}

}  // namespace
}  // namespace maejin::cli
