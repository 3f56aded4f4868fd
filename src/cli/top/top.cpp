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

constexpr Millis kKeyStep{100};         // how soon a key or another size of the window is noticed
constexpr Seconds kLongLook{30};        // what happens in minutes is measured over this
constexpr TopSize kPlainSize{100, 60};  // where there is no window to fit

struct TopWishes {
  Millis interval{};
  bool once = false;
  bool json = false;
};

// The readings that the next one is compared with.
class PastReadings {
 public:
  const TopReading* Before() const { return readings_.empty() ? nullptr : &readings_.back(); }
  const TopReading* Earlier() const { return readings_.empty() ? nullptr : &readings_.front(); }
  void Add(TopReading reading) {
    // The oldest one kept is the youngest that is old enough.
    while (readings_.size() > 1 && reading.at - readings_[1].at >= kLongLook) readings_.pop_front();
    readings_.push_back(std::move(reading));
  }

 private:
  std::deque<TopReading> readings_;
};

class Watcher {
 public:
  Watcher(const StopSignals& signals, std::string url, const config::Config& config, TopWishes wishes)
      : signals_(signals), url_(std::move(url)), source_(url_, config), wishes_(wishes) {
    if (!wishes_.once && !wishes_.json) screen_ = TerminalScreen::Take();
  }

  int Run() {
    for (;;) {
      auto reading = source_.Read();
      if (!reading && !screen_ && (wishes_.once || !past_.Before())) return Fail(reading.error());
      if (reading) {
        Seen(std::move(*reading));
      } else {
        Missed(reading.error());
      }
      if ((wishes_.once && shown_) || WaitOrQuit()) return kExitDone;
    }
  }

 private:
  void Seen(TopReading reading) {
    outage_.reset();
    const bool rates = past_.Before() != nullptr;
    view_ = MakeTopView(url_, reading, past_.Before(), past_.Earlier());
    past_.Add(std::move(reading));
    // A screen is filled at once; a line that stays is worth the wait for its rates.
    if (screen_ || rates) Show();
  }

  void Missed(const std::string& sentence) {
    const auto now = clock_.Now();
    outage_ = Outage{url_, now, outage_ ? outage_->since : now, sentence};
    Show();
  }

  void Show() {
    shown_ = true;
    if (wishes_.json) return PrintLine(outage_ ? TopJson(*outage_) : TopJson(view_));
    if (!screen_) {
      for (const auto& line : Lines(kPlainSize)) PrintLine(line.text);
      return PrintLine("");
    }
    size_ = screen_->Size();
    auto lines = Lines({size_.columns, size_.rows > 1 ? size_.rows - 1 : 1});
    if (size_.rows > 1) {
      lines.resize(size_.rows - 1);
      lines.push_back(
          {LineStyle::kPlain, fmt::format("q quits; every {} s", wishes_.interval.count() / 1000)});
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

  // One interval long; true where the operator has seen enough.
  bool WaitOrQuit() {
    const auto end = clock_.Now() + wishes_.interval;
    for (auto left = wishes_.interval; left.count() > 0; left = end - clock_.Now()) {
      if (signals_.WaitFor(screen_ ? std::min(left, kKeyStep) : left)) return true;
      if (!screen_) continue;
      if (screen_->QuitPressed()) return true;
      const auto size = screen_->Size();
      if (size.columns != size_.columns || size.rows != size_.rows) Show();
    }
    // Whoever reads what is printed may be gone.
    return std::ferror(stdout) != 0;
  }

  const StopSignals& signals_;
  std::string url_;
  TopSource source_;
  TopWishes wishes_;
  SystemClock clock_;
  std::unique_ptr<TerminalScreen> screen_;  // null: plain blocks, or JSON
  PastReadings past_;
  TopView view_;
  std::optional<Outage> outage_;  // while there is one
  TopSize size_;                  // what was last drawn for
  bool shown_ = false;
};

// Where the server is: --url, or the one that runs on the data folder, or where one would listen. Empty: --url is wrong.
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
  return {{"url", "URL", "", "The server to watch; the one of the data folder, or of --listen, where absent"},
          {"interval", "SECONDS", "2", "How long to wait between two looks"},
          {"once", "", "", "Look twice, an interval apart, print what was seen, and end"}};
}

int RunTop(const Invocation& invocation) {
  std::int64_t seconds = 0;
  if (!ReadNumber(invocation, "interval", 1, 3600, seconds)) return kExitUsage;
  const auto url = WatchedUrl(invocation);
  if (url.empty()) {
    return Misuse(
        fmt::format("--url must be like http://127.0.0.1:8080, an IP address or localhost, not \"{}\"",
                    invocation.Text("url")));
  }
  const StopSignals signals;
  return Watcher(signals, url, invocation.config, {Seconds(seconds), invocation.Has("once"), invocation.json})
      .Run();
}

}  // namespace maejin::cli
