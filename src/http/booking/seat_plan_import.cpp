#include "http/booking/seat_plan_import.h"

#include "http/booking/json.h"
#include "http/booking/seat_plan.h"
#include "http/concert_in.h"
#include "http/json_pieces.h"
#include "http/problem.h"

namespace maejin::http {
namespace {

constexpr std::size_t kLongestPlan = 1 << 20;
constexpr std::size_t kMostPlans = 1000;
// Further errors are not reported.
constexpr std::size_t kMostErrors = 100;

// The plans and errors read so far.
class Plans {
 public:
  explicit Plans(Money default_price) : default_price_(default_price) {}

  void Take(std::vector<JsonPieces::Piece>& pieces) {
    for (const auto& piece : pieces) Take(piece);
    pieces.clear();
  }
  void AddError(std::int64_t line, Refused refused) {
    if (errors_.size() < kMostErrors) errors_.push_back({line, std::move(refused)});
  }
  // No further error would be reported.
  bool full() const { return errors_.size() == kMostErrors; }
  const std::vector<RefusedLine>& errors() const { return errors_; }
  std::vector<SchedulePlan>& plans() { return plans_; }

 private:
  void Take(const JsonPieces::Piece& piece) {
    if (piece.too_long) return AddError(piece.line, Refused{Refusal::kPayloadTooLarge});
    auto plan = ParseSeatPlan(piece.text, default_price_);
    if (!plan) return AddError(piece.line, plan.error());
    if (plans_.size() == kMostPlans) {
      if (errors_.empty()) AddError(piece.line, Refused{Refusal::kPayloadTooLarge, "more than 1000 dates"});
      return;
    }
    // After the first error no plan is added: the others are only checked for more errors.
    if (errors_.empty()) plans_.push_back(std::move(*plan));
  }

  const Money default_price_;
  std::vector<SchedulePlan> plans_;
  std::vector<RefusedLine> errors_;
};

// Refuses what BodyReader::Next() refuses. Invalid plans are not refused here: they are errors in `plans`.
Task<Outcome<Done>> ReadPlans(BodyReader& body, Plans& plans) {
  JsonPieces cutter(kLongestPlan, JsonPieces::Cut::kObjects);
  std::vector<JsonPieces::Piece> pieces;
  while (!plans.full()) {
    const auto bytes = co_await body.Next();
    if (!bytes) co_return bytes.error();
    if (bytes->empty()) {
      const bool whole = cutter.Finish(pieces);
      plans.Take(pieces);
      if (!whole) plans.AddError(cutter.line(), Refused{Refusal::kInvalidJson, "the array is not closed"});
      break;
    }
    cutter.Feed(*bytes, pieces);
    plans.Take(pieces);
  }
  co_return Done{};
}

}  // namespace

Task<Outcome<Done>> ImportSeatPlans(BookingRoutes routes, const Request& request, BodyReader& body,
                                    Response& response) {
  const auto id = ConcertIn(request);
  if (!id) co_return id.error();
  const auto concert = co_await routes.read_concerts.One(*id);
  if (!concert) co_return concert.error();
  Plans plans(concert->details.price);
  const auto read = co_await ReadPlans(body, plans);
  if (!read) co_return read.error();
  if (plans.errors().empty() && plans.plans().empty()) {
    co_return Refused{Refusal::kInvalidJson, "the body has no seat plan"};
  }
  if (!plans.errors().empty()) {
    WriteProblem(plans.errors(), request, response);
    co_return Done{};
  }
  const auto changed =
      co_await routes.manage_concert.AddSchedules(*id, std::move(plans.plans()), request.actor);
  if (!changed) co_return changed.error();
  response.status = 201;
  const auto shown = co_await routes.read_concerts.Rank(*changed);
  WriteConcert(response.body, shown);
  co_return Done{};
}

}  // namespace maejin::http
