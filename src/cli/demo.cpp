#include "cli/demo.h"

#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "app/application.h"
#include "base/clock.h"
#include "cli/common/admin_client.h"
#include "cli/common/links.h"
#include "cli/common/signals.h"
#include "cli/common/temporary_folder.h"
#include "cli/fans/crowd.h"
#include "cli/fans/demo_concerts.h"
#include "cli/fans/progress_line.h"

namespace maejin::cli {
namespace {

constexpr Millis kStep{250};
constexpr Millis kBetweenLateFans{100};
constexpr Seconds kSellOutDeadline{300};  // after the opening; a slower sell-out fails the demo

struct DemoSize {
  std::int64_t fans = 0;
  std::int64_t seats = 0;
  std::int64_t seed = 0;
  std::int64_t opens_in = 0;
};

void Print(const std::string& line) { WriteLine(stdout, line); }

// Listens on the configured port. If that is the default and already in use, on any free port.
Result<std::unique_ptr<app::Application>, std::string> StartServer(const Invocation& invocation,
                                                                   config::Config& config) {
  auto started = app::Application::Start(config);
  if (started || invocation.settings.find("listen")->second.origin != "default") return started;
  config.listen.port = 0;
  return app::Application::Start(config);
}

std::vector<DemoConcert> DemoConcerts(const DemoSize& size) {
  const auto per_date = static_cast<int>((size.seats + 1) / 2);
  return {
      {.title = "골목 콘서트", .artist = "해 질 녘", .venue = "연남 소극장", .seats_per_date = 12},
      {.title = "매진 라이브",
       .artist = "첫차",
       .venue = "올림픽홀",
       .dates = size.seats > 1 ? 2 : 1,
       .seats_per_date = per_date,
       .opens_in = Seconds(size.opens_in),
       // Long enough for a visitor to pay, short enough that abandoned holds expire during the demo.
       .hold_seconds = 30},
      {.title = "들판의 주말",
       .artist = "여러 사람",
       .venue = "한강 둔치",
       .seats_per_date = 500,
       .hold_seconds = 300},
  };
}

// A third of the fans arrives during the countdown and is drawn; the others follow. A page visitor that joins
// before the sale has a fair chance of a seat and sees the line grow.
std::vector<Millis> MainArrivals(const DemoSize& size) {
  const auto fans = static_cast<int>(size.fans);
  const int early = size.opens_in > 0 ? fans / 3 : 0;
  auto arrivals = Arrivals(early, Seconds(size.opens_in));
  for (const auto after : Arrivals(fans - early, kBetweenLateFans * (fans - early))) {
    arrivals.push_back(Seconds(size.opens_in) + after);
  }
  return arrivals;
}

class Demo {
 public:
  Demo(const StopSignals& signals, HttpClient admin, std::string url, DemoSize size)
      : signals_(signals), admin_(std::move(admin)), url_(std::move(url)), size_(size) {}

  // Absent: sold out. Otherwise the exit code of an error or of Ctrl-C.
  std::optional<int> Run() {
    for (const auto& concert : DemoConcerts(size_)) {
      auto sale = CreateDemoConcert(admin_, concert, clock_.Now());
      if (!sale) return Fail(sale.error());
      sale->server = *config::ParseAddress(std::string_view(url_).substr(std::string_view("http://").size()));
      sale->seed = static_cast<std::uint64_t>(size_.seed);
      sales_.push_back(*sale);
    }
    opening_ = clock_.Now() + Seconds(size_.opens_in);
    crowds_.push_back(std::make_unique<Crowd>(sales_[0], Arrivals(12, Millis(1500))));
    crowds_.push_back(std::make_unique<Crowd>(sales_[1], MainArrivals(size_)));
    const auto ended = WatchUntilSoldOut();
    crowds_.clear();
    if (!ended) Print("\nSold out. The ranking:\n" + RankingText(admin_));
    return ended;
  }

 private:
  std::optional<int> WatchUntilSoldOut() {
    ProgressLine line(stdout);
    while (!AllSoldOut()) {
      line.Show(ProgressText(CrowdSnapshot(crowds_[1]->counts()), Seats(), opening_ - clock_.Now()));
      if (signals_.WaitFor(kStep)) {
        line.End();
        return kExitDone;
      }
      if (clock_.Now() > opening_ + kSellOutDeadline) {
        line.End();
        return Fail("the demo did not sell out in time");
      }
    }
    line.Show(ProgressText(CrowdSnapshot(crowds_[1]->counts()), Seats(), Millis(0)));
    line.End();
    return std::nullopt;
  }

  std::int64_t Seats() const { return size_.seats > 1 ? (size_.seats + 1) / 2 * 2 : 1; }

  bool AllSoldOut() {
    bool all = true;
    for (const auto& crowd : crowds_) {
      if (StatusOf(admin_, crowd->sale().concert) == "SOLD_OUT") {
        crowd->MarkSoldOut();
      } else {
        all = false;
      }
    }
    return all;
  }

  const StopSignals& signals_;
  HttpClient admin_;
  std::string url_;
  DemoSize size_;
  SystemClock clock_;
  Time opening_;
  std::vector<SimulatedSale> sales_;
  std::vector<std::unique_ptr<Crowd>> crowds_;
};

bool ReadSize(const Invocation& invocation, DemoSize& size) {
  return ReadNumber(invocation, "fans", 1, 10'000, size.fans) &&
         ReadNumber(invocation, "seats", 1, 10'000, size.seats) &&
         ReadNumber(invocation, "seed", 0, INT32_MAX, size.seed) &&
         ReadNumber(invocation, "opens-in", 0, 3600, size.opens_in);
}

}  // namespace

std::vector<VerbFlag> DemoFlags() {
  return {{"fans", "N", "300", "Number of simulated fans"},
          {"seats", "N", "200", "Number of seats of the main concert"},
          {"seed", "N", "1", "Seed of the fans' random behaviour"},
          {"opens-in", "SECONDS", "20", "Time until the main concert opens"},
          {"exit-when-sold-out", "", "", "Exit when everything is sold, instead of serving on"}};
}

int RunDemo(const Invocation& invocation) {
  DemoSize size;
  if (!ReadSize(invocation, size)) return kExitUsage;
  const StopSignals signals;
  auto config = invocation.config;
  std::unique_ptr<TemporaryFolder> temporary;
  if (invocation.settings.find("data")->second.origin == "default") {
    temporary = std::make_unique<TemporaryFolder>("maejin-demo");
    config.data = temporary->path();
    config.admin_key_file = config.data / "admin.key";
    config.keys = config.data / "keys";
    config.payment.callback_secret_file = config.data / "payment.secret";
  }
  auto server = StartServer(invocation, config);
  if (!server) return Fail(server.error());
  const auto url = (*server)->url();
  auto links = LinkLines(url, config);
  links.pop_back();
  Print(fmt::format("maejin: listening on {}\n{}", url, links));
  auto admin = AdminClient(url, config);
  if (!admin) return Fail(admin.error());
  const auto ended = Demo(signals, std::move(*admin), url, size).Run();
  if (!ended && !invocation.Has("exit-when-sold-out")) {
    Print(fmt::format("Still serving on {}; press Ctrl-C to stop.", url));
    signals.Wait();
  }
  signals.RestoreDefault();
  (*server)->Drain();
  return ended.value_or(kExitDone);
}

}  // namespace maejin::cli
