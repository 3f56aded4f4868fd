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
#include "config/options.h"

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

// One watched node: its readings, and its view or its outage.
class WatchedNode {
 public:
  WatchedNode(std::string url, const config::Config& config) : url_(std::move(url)), source_(url_, config) {}

  // Absent: a reading was taken. The error is a sentence.
  std::optional<std::string> Read() {
    auto reading = source_.Read();
    if (!reading) {
      const auto now = clock_.Now();
      outage_ = Outage{url_, now, outage_ ? outage_->since : now, reading.error()};
      return reading.error();
    }
    outage_.reset();
    has_rates_ = past_.Before() != nullptr;
    view_ = MakeTopView(url_, *reading, past_.Before(), past_.Earlier());
    past_.Add(std::move(*reading));
    return {};
  }

  bool WasRead() const { return past_.Before() != nullptr; }
  bool has_rates() const { return has_rates_; }
  const TopView& view() const { return view_; }
  const std::optional<Outage>& outage() const { return outage_; }
  TopNode Summary() const {
    if (outage_ || !WasRead()) return {url_, "NO ANSWER", {}};
    return {url_, view_.ready ? "ready" : view_.draining ? "DRAINING" : "NOT READY", view_.figures};
  }

 private:
  std::string url_;
  TopSource source_;
  SystemClock clock_;
  PastReadings past_;
  TopView view_;
  std::optional<Outage> outage_;  // set during an outage
  bool has_rates_ = false;
};

class Watcher {
 public:
  Watcher(const StopSignals& signals, const std::vector<std::string>& urls, const config::Config& config,
          TopOptions options)
      : signals_(signals), options_(options) {
    for (const auto& url : urls) nodes_.push_back(std::make_unique<WatchedNode>(url, config));
    if (!options_.once && !options_.json) screen_ = TerminalScreen::Take();
  }

  int Run() {
    for (;;) {
      std::optional<std::string> failure;
      bool first = true;   // no node was ever read
      bool rates = false;  // printed output waits for the second reading, which has rates
      for (const auto& node : nodes_) {
        const auto failed = node->Read();
        if (failed && !failure) failure = failed;
        first = first && !node->WasRead();
        rates = rates || node->has_rates() || (node->outage() && node->WasRead());
      }
      const bool silent = Shown().outage().has_value();
      if (silent && !screen_ && (options_.once || first)) return Fail(*failure);
      if (screen_ || rates) Show();
      if ((options_.once && shown_) || WaitOrQuit()) return kExitDone;
    }
  }

 private:
  // The first node that answers; else the first. One is enough, because nodes share rooms and concerts.
  const WatchedNode& Shown() const {
    for (const auto& node : nodes_)
      if (!node->outage() && node->WasRead()) return *node;
    return *nodes_.front();
  }

  void Show() {
    shown_ = true;
    if (options_.json) {
      for (const auto& node : nodes_)
        PrintLine(node->outage() ? TopJson(*node->outage()) : TopJson(node->view()));
      return;
    }
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
    const auto& shown = Shown();
    if (shown.outage()) return TopLines(*shown.outage(), size);
    auto view = shown.view();
    if (nodes_.size() > 1)
      for (const auto& node : nodes_) view.nodes.push_back(node->Summary());
    return TopLines(view, size);
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
  std::vector<std::unique_ptr<WatchedNode>> nodes_;  // at least one
  TopOptions options_;
  SystemClock clock_;
  std::unique_ptr<TerminalScreen> screen_;  // null: prints text or JSON
  TopSize size_;                            // of the last drawing
  bool shown_ = false;
};

// --url; else the server that runs on the data folder; else the configured address. Empty if --url is
// invalid.
std::vector<std::string> WatchedUrls(const Invocation& invocation) {
  if (!invocation.Has("url")) {
    if (auto running = RunningServer(invocation.config)) return {*running};
    return {"http://" + invocation.config.listen.ToString()};
  }
  auto urls = config::ListItems(invocation.Text("url"));
  for (auto& text : urls) {
    const auto url = config::ParseHttpOrHttpsUrl(text);
    if (!url || url->path != "/") return {};
    if (text.ends_with('/')) text.pop_back();
  }
  return urls;
}

}  // namespace

std::vector<VerbFlag> TopFlags() {
  return {
      {"url", "URL", "",
       "URLs of the server or of several nodes, with commas between (default: the server of the data folder, "
       "else --listen)"},
      {"interval", "SECONDS", "2", "Time between two readings"},
      {"once", "", "", "Take two readings, print the result, and exit"}};
}

int RunTop(const Invocation& invocation) {
  std::int64_t seconds = 0;
  if (!ReadNumber(invocation, "interval", 1, 3600, seconds)) return kExitUsage;
  const auto urls = WatchedUrls(invocation);
  if (urls.empty()) {
    return FailUsage(fmt::format(
        "--url must be like http://127.0.0.1:8080, an IP address or localhost, or https://tickets.example, "
        "not \"{}\"",
        invocation.Text("url")));
  }
  const StopSignals signals;
  return Watcher(signals, urls, invocation.config,
                 {Seconds(seconds), invocation.Has("once"), invocation.json})
      .Run();
}

}  // namespace maejin::cli
