#include "cli/rehearsal/rehearsal.h"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>

#include "base/json_text.h"
#include "cli/common/answer_json.h"
#include "cli/fans/demo_concerts.h"

namespace maejin::cli {
namespace {

constexpr Millis kStep{250};
constexpr Seconds kAnswerWithin{5};
// Time for the server to settle pending payments and to update the boards.
constexpr Seconds kServerSettlesWithin{60};
constexpr std::int64_t kFansPerThread = 1000;
constexpr std::size_t kMaxThreads = 4;

bool Settled(const ServerState& state) {
  const bool paying = std::any_of(state.reservations.begin(), state.reservations.end(),
                                  [](const ServerReservation& booked) { return booked.status == "PAYING"; });
  return !paying;
}

bool Succeeded(const Result<HttpAnswer, std::string>& answer) { return answer && answer->status == 200; }

}  // namespace

Rehearsal::Rehearsal(const StopSignals& signals, HttpClient admin, RehearsalPlan plan,
                     PreflightResult preflight, std::FILE* progress)
    : signals_(signals), admin_(std::move(admin)), preflight_(std::move(preflight)), progress_(progress) {
  report_.plan = std::move(plan);
  report_.plan.connections = static_cast<std::int64_t>(preflight_.connections);
}

Result<RehearsalReport, std::string> Rehearsal::Run() {
  if (auto why = CreateConcert()) return std::move(*why);
  if (report_.plan.json_progress) ShowJsonProgress("countdown");
  if (!report_.plan.json_progress)
    WriteLine(progress_,
              fmt::format("{}: concert {} on {}, {} fans for {} seats", report_.title, report_.concert,
                          report_.plan.url, report_.plan.fans, report_.plan.seats));
  StartCrowds();
  report_.ended = WaitUntilSoldOut();
  if (interrupted_) signals_.RestoreDefault();
  if (report_.plan.json_progress) ShowJsonProgress("audit");
  StopCrowds();
  AuditServerState();
  if (report_.plan.with_sale_report) report_.sale = ReadSaleReport("json");
  if (!report_.plan.report.empty()) WriteSaleReport();
  report_.remains = CleanUp();
  return std::move(report_);
}

// The server's clock, because it opens the sale.
Result<Time, std::string> Rehearsal::ServersNow() {
  HttpCall call;
  call.target = "/api/v1/time";
  const auto answer = admin_.Call(call);
  if (!answer) return answer.error();
  const auto body = ObjectIn(answer->body).value_or(boost::json::object());
  const auto time = ParseTime(TextOf(body, "now"));
  if (!time) return fmt::format("{} does not report its time", report_.plan.url);
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
  concert.is_public = false;
  auto sale = CreateDemoConcert(admin_, concert, *now);
  opening_ = HistoryClock::now() + plan.opens_in;
  if (!sale) return sale.error();
  sale_ = std::move(*sale);
  report_.concert = sale_.concert;
  sale_.server = plan.server;
  sale_.seed = static_cast<std::uint64_t>(plan.seed);
  sale_.think_time = plan.think_time;
  sale_.users = preflight_.users.get();
  admin_.SetTimeout(kAnswerWithin);
  return {};
}

// Distributes fans round-robin over the threads, so that every thread has early and late fans.
void Rehearsal::StartCrowds() {
  const auto arrivals = ArrivalsOf(report_.plan);
  const auto threads = std::clamp<std::size_t>(arrivals.size() / kFansPerThread, 1,
                                               std::min(kMaxThreads, preflight_.connections));
  sale_.connections = preflight_.connections / threads;
  std::vector<std::vector<Millis>> shares(threads);
  for (std::size_t i = 0; i < arrivals.size(); ++i) shares[i % threads].push_back(arrivals[i]);
  int first = 1;
  for (const auto& share : shares) {
    ledgers_.push_back(std::make_unique<Ledger>());
    crowds_.push_back(std::make_unique<Crowd>(sale_, share, ledgers_.back().get(), first));
    first += static_cast<int>(share.size());
  }
}

std::string Rehearsal::WaitUntilSoldOut() {
  ProgressLine line(progress_);
  const auto give_up = opening_ + report_.plan.patience;
  std::string why;
  while (!PollSoldOut()) {
    const auto to_opening = std::chrono::duration_cast<Millis>(opening_ - HistoryClock::now());
    if (report_.plan.json_progress) {
      ShowJsonProgress(to_opening.count() > 0 ? "countdown" : "sale");
    } else {
      line.Show(ProgressText(Snapshot(), report_.plan.seats, to_opening));
    }
    interrupted_ = signals_.WaitFor(kStep);
    if (interrupted_) why = "interrupted";
    if (std::ferror(progress_) != 0) {
      interrupted_ = true;
      why = "the reader of the progress has ended";
    }
    if (HistoryClock::now() > give_up)
      why = fmt::format("not sold out within {} s", report_.plan.patience.count());
    if (!why.empty()) break;
  }
  if (!report_.plan.json_progress) {
    line.Show(ProgressText(Snapshot(), report_.plan.seats, Millis(0)));
    line.End();
  }
  report_.lasted = std::max(Millis(0), std::chrono::duration_cast<Millis>(HistoryClock::now() - opening_));
  return why;
}

// Also samples `entered` of the room's serving counters.
bool Rehearsal::PollSoldOut() {
  if (const auto entered = EnteredNow(admin_, sale_.concert)) {
    ++samples_;
    most_entered_ = std::max(most_entered_, *entered);
  }
  return StatusOf(admin_, sale_.concert) == "SOLD_OUT";
}

void Rehearsal::StopCrowds() {
  for (const auto& crowd : crowds_) crowd->MarkSoldOut();
  crowds_.clear();
  for (const auto& ledger : ledgers_) report_.ledger.Add(std::move(*ledger));
  ledgers_.clear();
}

void Rehearsal::AuditServerState() {
  const auto until = HistoryClock::now() + kServerSettlesWithin;
  while (true) {
    auto state = ReadServerState(admin_, sale_);
    const bool settled = state && Settled(*state);
    if (settled || interrupted_ || HistoryClock::now() > until) {
      if (!state) report_.ended = fmt::format("the server's state could not be read: {}", state.error());
      if (!state) return;
      state->most_entered = most_entered_;
      state->samples = samples_;
      report_.state = std::move(*state);
      break;
    }
    if (signals_.WaitFor(kStep)) interrupted_ = true;
  }
  report_.audit =
      Audit(report_.ledger, *report_.state, {.capacity = report_.plan.capacity, .hold = report_.plan.hold});
  // The last seat may have been paid while the crowds were stopped.
  if (report_.audit.sold_out) report_.ended.clear();
}

// Called before the concert is cancelled, because the report shows what was sold. Empty if the server does
// not answer.
std::string Rehearsal::ReadSaleReport(std::string_view format) {
  HttpCall call;
  call.target = fmt::format("/api/v1/concerts/{}/report?format={}", report_.concert, format);
  const auto answer = admin_.Call(call);
  return Succeeded(answer) ? answer->body : std::string();
}

void Rehearsal::WriteSaleReport() {
  const auto& name = report_.plan.report;
  const auto sale = ReadSaleReport(name.substr(name.rfind('.') + 1));
  std::ofstream file(name, std::ios::binary);
  file << sale;
  file.close();
  const bool written = !sale.empty() && file;
  WriteLine(progress_,
            fmt::format("{}: {}", written ? "Sale report" : "The sale report was not written", name));
}

// Cancelling refunds the play money and frees the seats. The concert was in no list and on no board; the API
// cannot delete it.
std::string Rehearsal::CleanUp() {
  const auto& plan = report_.plan;
  if (plan.keep)
    return fmt::format("Left on the server: concert {}, unlisted, not cancelled.", report_.concert);
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
        "Left on the server: concert {}, unlisted. Cleaning up failed: POST {} cancels it, PUT {} {} closes "
        "its room.",
        report_.concert, cancel.target, close.target, close.body);
  }
  return fmt::format("Left on the server: concert {}, unlisted and cancelled, with its closed room.",
                     report_.concert);
}

void Rehearsal::ShowJsonProgress(std::string_view phase) {
  const auto crowd = Snapshot();
  const auto to_opening = std::chrono::duration_cast<Millis>(opening_ - HistoryClock::now());
  WriteLine(progress_, JsonObjectText([&](JsonWriter& json) {
              json.Field("phase", phase);
              json.Field("concertId", report_.concert);
              json.Field("opensInMillis", std::max<std::int64_t>(0, to_opening.count()));
              json.Field("waiting", crowd.waiting);
              json.Field("inside", crowd.inside);
              json.Field("paying", crowd.held);
              json.Field("sold", crowd.paid);
              json.Field("seats", report_.plan.seats);
              json.Field("gaveUp", crowd.gave_up);
            }));
}

CrowdSnapshot Rehearsal::Snapshot() const {
  CrowdSnapshot snapshot;
  for (const auto& crowd : crowds_) snapshot += CrowdSnapshot(crowd->counts());
  return snapshot;
}

}  // namespace maejin::cli
