#include "cli/top/top.h"

#include <cstdio>
#include <deque>

#include <fmt/format.h>

#include "cli/common/admin_client.h"
#include "cli/common/signals.h"
#include "cli/top/terminal_screen.h"
#include "cli/top/top_source.h"
#include "cli/top/top_text.h"
#include "config/address.h"

namespace maejin::cli {
namespace {

constexpr Millis kKeyStep{100};           // interval for checking keys and the window size
constexpr Seconds kMinuteRateWindow{30};  // time span of per-minute rates
constexpr TopSize kPlainSize{100, 60};    // for output that is no terminal

struct TopOptions {
  Millis interval{};
  bool once = false;
  bool json = false;
};

// Recent readings, for rates.
class PastReadings {
 public:
  const TopReading* Before() const { return readings_.empty() ? nullptr : &readings_.back(); }
  const TopReading* Earlier() const { return readings_.empty() ? nullptr : &readings_.front(); }
  void Add(TopReading reading) {
    // Keep only one reading that is older than the window.
    while (readings_.size() > 1 && reading.at - readings_[1].at >= kMinuteRateWindow) readings_.pop_front();
    readings_.push_back(std::move(reading));
  }

 private:
  std::deque<TopReading> readings_;
};

class Watcher {
 public:
  Watcher(const StopSignals& signals, std::string url, const config::Config& config, TopOptions options)
      : signals_(signals), url_(std::move(url)), source_(url_, config), options_(options) {
    if (!options_.once && !options_.json) screen_ = TerminalScreen::Take();
  }

  int Run() {
    for (;;) {
      auto reading = source_.Read();
      if (!reading && !screen_ && (options_.once || !past_.Before())) return Fail(reading.error());
      if (reading) {
        OnReading(std::move(*reading));
      } else {
        OnOutage(reading.error());
      }
      if ((options_.once && shown_) || WaitOrQuit()) return kExitDone;
    }
  }

 private:
  void OnReading(TopReading reading) {
    outage_.reset();
    const bool rates = past_.Before() != nullptr;
    view_ = MakeTopView(url_, reading, past_.Before(), past_.Earlier());
    past_.Add(std::move(reading));
    // The screen is drawn at once. Printed output waits for the second reading, which has rates.
    if (screen_ || rates) Show();
  }

  void OnOutage(const std::string& sentence) {
    const auto now = clock_.Now();
    outage_ = Outage{url_, now, outage_ ? outage_->since : now, sentence};
    Show();
  }

  void Show() {
    shown_ = true;
    if (options_.json) return PrintLine(outage_ ? TopJson(*outage_) : TopJson(view_));
    if (!screen_) {
      for (const auto& line : Lines(kPlainSize)) PrintLine(line.text);
      return PrintLine("");
    }
    size_ = screen_->Size();
    auto lines = Lines({size_.columns, size_.rows > 1 ? size_.rows - 1 : 1});
    if (size_.rows > 1) {
      lines.resize(size_.rows - 1);
      lines.push_back(
          {LineStyle::kPlain, fmt::format("q quits; every {} s", options_.interval.count() / 1000)});
    }
    screen_->Show(lines);
  }

  std::vector<TopLine> Lines(TopSize size) const {
    return outage_ ? TopLines(*outage_, size) : TopLines(view_, size);
  }

  static void PrintLine(const std::string& line) {
    std::puts(line.c_str());
    std::fflush(stdout);
  }

  // Waits one interval; true if the operator quits.
  bool WaitOrQuit() {
    const auto end = clock_.Now() + options_.interval;
    for (auto left = options_.interval; left.count() > 0; left = end - clock_.Now()) {
      if (signals_.WaitFor(screen_ ? std::min(left, kKeyStep) : left)) return true;
      if (!screen_) continue;
      if (screen_->QuitPressed()) return true;
      const auto size = screen_->Size();
      if (size.columns != size_.columns || size.rows != size_.rows) Show();
    }
    // The reader of standard output may be gone.
    return std::ferror(stdout) != 0;
  }

  const StopSignals& signals_;
  std::string url_;
  TopSource source_;
  TopOptions options_;
  SystemClock clock_;
  std::unique_ptr<TerminalScreen> screen_;  // null: prints text or JSON
  PastReadings past_;
  TopView view_;
  std::optional<Outage> outage_;  // set during an outage
  TopSize size_;                  // of the last drawing
  bool shown_ = false;
};

// --url; else the server that runs on the data folder; else the configured address. Empty if --url is
// invalid.
std::string WatchedUrl(const Invocation& invocation) {
  if (invocation.Has("url")) {
    const auto server = config::ParseServerUrl(invocation.Text("url"));
    return server ? "http://" + server->ToString() : std::string();
  }
  if (auto running = RunningServer(invocation.config)) return *running;
  return "http://" + invocation.config.listen.ToString();
}

}  // namespace

std::vector<VerbFlag> TopFlags() {
  return {{"url", "URL", "", "URL of the server (default: the server of the data folder, else --listen)"},
          {"interval", "SECONDS", "2", "Time between two readings"},
          {"once", "", "", "Take two readings, print the result, and exit"}};
}

int RunTop(const Invocation& invocation) {
  std::int64_t seconds = 0;
  if (!ReadNumber(invocation, "interval", 1, 3600, seconds)) return kExitUsage;
  const auto url = WatchedUrl(invocation);
  if (url.empty()) {
    return FailUsage(
        fmt::format("--url must be like http://127.0.0.1:8080, an IP address or localhost, not \"{}\"",
                    invocation.Text("url")));
  }
  const StopSignals signals;
  return Watcher(signals, url, invocation.config, {Seconds(seconds), invocation.Has("once"), invocation.json})
      .Run();
}

}  // namespace maejin::cli
