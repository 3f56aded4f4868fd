#include "cli/rehearsal/rehearsal.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/common/answer_json.h"
#include "cli/fans/demo_concerts.h"

namespace maejin::cli {
namespace {

constexpr Millis kStep{250};
constexpr Seconds kAnswerWithin{5};
// What the books may need to settle: a payment whose answer was lost (60 s), and the way to the boards of another node.
constexpr Seconds kBooksSettleWithin{60};
constexpr std::int64_t kFansOfAThread = 1000;
constexpr std::size_t kMostThreads = 4;

bool Settled(const ServerState& state) {
  const bool paying = std::any_of(state.reservations.begin(), state.reservations.end(),
                                  [](const BookedSeats& booked) { return booked.status == "PAYING"; });
  const bool ranked = std::all_of(state.rankings.begin(), state.rankings.end(),
                                  [](const RankedRow& row) { return row.times > 0; });
  return !paying && (ranked || state.status != "SOLD_OUT");
}

bool Succeeded(const Result<HttpAnswer, std::string>& answer) { return answer && answer->status == 200; }

}  // namespace

Rehearsal::Rehearsal(const StopSignals& signals, HttpClient admin, RehearsalPlan plan, Clearance clearance,
                     std::FILE* progress)
    : signals_(signals), admin_(std::move(admin)), clearance_(std::move(clearance)), progress_(progress) {
  report_.plan = std::move(plan);
  report_.plan.connections = static_cast<std::int64_t>(clearance_.connections);
}

Result<RehearsalReport, std::string> Rehearsal::Run() {
  if (auto why = CreateConcert()) return std::move(*why);
  SayOn(progress_, fmt::format("{}: concert {} on {}, {} fans for {} seats", report_.title, report_.concert,
                               report_.plan.url, report_.plan.fans, report_.plan.seats));
  LetThemIn();
  report_.ended = Watch();
  if (interrupted_) signals_.EndAtOnce();
  SendHome();
  ReadBooks();
  report_.left_behind = ClearAway();
  return std::move(report_);
}

// The server's clock opens the sale, whatever this machine's says.
Result<Time, std::string> Rehearsal::ServersNow() {
  HttpCall call;
  call.target = "/api/v1/time";
  const auto answer = admin_.Call(call);
  if (!answer) return answer.error();
  const auto body = ObjectIn(answer->body).value_or(boost::json::object());
  const auto time = ParseTime(TextOf(body, "now"));
  if (!time) return fmt::format("{} does not tell the time", report_.plan.url);
  return *time;
}

std::optional<std::string> Rehearsal::CreateConcert() {
  const auto now = ServersNow();
  if (!now) return now.error();
  const auto& plan = report_.plan;
  DemoConcert concert;
  report_.title = fmt::format("Rehearsal {}", FormatTime(*now));
  concert.title = report_.title;
  concert.artist = "maejin rehearse";
  concert.venue = "simulated fans only";
  concert.dates = static_cast<int>(plan.dates);
  concert.seats_per_date = static_cast<int>(plan.seats / plan.dates);
  concert.opens_in = plan.opens_in;
  concert.room_capacity = static_cast<int>(plan.capacity);
  concert.hold_seconds = static_cast<int>(plan.hold.count());
  auto stage = CreateDemoConcert(admin_, concert, *now);
  opening_ = HistoryClock::now() + plan.opens_in;
  if (!stage) return stage.error();
  stage_ = std::move(*stage);
  report_.concert = stage_.concert;
  stage_.server = plan.server;
  stage_.seed = static_cast<std::uint64_t>(plan.seed);
  stage_.thinks = plan.thinks;
  stage_.users = clearance_.users.get();
  admin_.SetTimeout(kAnswerWithin);
  return {};
}

// Fan after fan to one thread after the other, so that every thread has early and late ones.
void Rehearsal::LetThemIn() {
  const auto arrivals = ArrivalsOf(report_.plan);
  const auto threads = std::clamp<std::size_t>(arrivals.size() / kFansOfAThread, 1,
                                               std::min(kMostThreads, clearance_.connections));
  stage_.connections = clearance_.connections / threads;
  std::vector<std::vector<Millis>> shares(threads);
  for (std::size_t i = 0; i < arrivals.size(); ++i) shares[i % threads].push_back(arrivals[i]);
  int first = 1;
  for (const auto& share : shares) {
    ledgers_.push_back(std::make_unique<Ledger>());
    crowds_.push_back(std::make_unique<Crowd>(stage_, share, ledgers_.back().get(), first));
    first += static_cast<int>(share.size());
  }
}

std::string Rehearsal::Watch() {
  ProgressLine line(progress_);
  const auto give_up = opening_ + report_.plan.patience;
  std::string why;
  while (!SeesSoldOut()) {
    const auto to_opening = std::chrono::duration_cast<Millis>(opening_ - HistoryClock::now());
    line.Show(ProgressText(Together(), report_.plan.seats, to_opening));
    interrupted_ = signals_.WaitFor(kStep);
    if (interrupted_) why = "it was interrupted";
    if (HistoryClock::now() > give_up)
      why = fmt::format("it was not sold out in {} s", report_.plan.patience.count());
    if (!why.empty()) break;
  }
  line.Show(ProgressText(Together(), report_.plan.seats, Millis(0)));
  line.End();
  report_.lasted = std::max(Millis(0), std::chrono::duration_cast<Millis>(HistoryClock::now() - opening_));
  return why;
}

// Also keeps count of what `serving` tells.
bool Rehearsal::SeesSoldOut() {
  if (const auto entered = EnteredNow(admin_, stage_.concert)) {
    ++samples_;
    most_entered_ = std::max(most_entered_, *entered);
  }
  return StatusOf(admin_, stage_.concert) == "SOLD_OUT";
}

void Rehearsal::SendHome() {
  for (const auto& crowd : crowds_) crowd->TellSoldOut();
  crowds_.clear();
  for (const auto& ledger : ledgers_) report_.ledger.Add(std::move(*ledger));
  ledgers_.clear();
}

void Rehearsal::ReadBooks() {
  const auto until = HistoryClock::now() + kBooksSettleWithin;
  while (true) {
    auto state = ReadServerState(admin_, stage_);
    const bool settled = state && Settled(*state);
    if (settled || interrupted_ || HistoryClock::now() > until) {
      if (!state) report_.ended = fmt::format("the server's books could not be read: {}", state.error());
      if (!state) return;
      state->most_entered = most_entered_;
      state->samples = samples_;
      report_.state = std::move(*state);
      break;
    }
    if (signals_.WaitFor(kStep)) interrupted_ = true;
  }
  report_.audit = Audit(report_.ledger, *report_.state, {.capacity = report_.plan.capacity});
  // The last seat may have been paid while everybody was sent home.
  if (report_.audit.sold_out) report_.ended.clear();
}

// Cancelling gives the (play) money and the seats back, and takes them out of the progress rankings. A first sell-out
// stands, and no call takes a concert away.
std::string Rehearsal::ClearAway() {
  const auto& plan = report_.plan;
  const auto ranked =
      report_.audit.sold_out ? ", and its row in the sold-out rankings: a sell-out stands" : "";
  if (plan.keep)
    return fmt::format("Left on the server: concert {}, as it was sold{}.", report_.concert, ranked);
  HttpCall close;
  close.method = "PUT";
  close.target = fmt::format("/api/v1/rooms/{}", report_.concert);
  close.body = R"({"state":"closed"})";
  HttpCall cancel;
  cancel.method = "POST";
  cancel.target = fmt::format("/api/v1/concerts/{}/cancel", report_.concert);
  const bool closed = Succeeded(admin_.Call(close));
  const bool cancelled = Succeeded(admin_.Call(cancel));
  if (!closed || !cancelled) {
    return fmt::format(
        "Left on the server: concert {}{}. It could not be cleared away: POST {} cancels it, PUT {} {} "
        "closes its room.",
        report_.concert, ranked, cancel.target, close.target, close.body);
  }
  return fmt::format("Left on the server: concert {}, cancelled, with its closed room{}.", report_.concert,
                     ranked);
}

Tally Rehearsal::Together() const {
  Tally tally;
  for (const auto& crowd : crowds_) tally += Tally(crowd->counts());
  return tally;
}

}  // namespace maejin::cli
