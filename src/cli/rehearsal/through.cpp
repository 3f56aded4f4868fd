#include "cli/rehearsal/through.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "base/json_text.h"
#include "cli/common/visitor.h"
#include "domain/waiting_room/return_url.h"

namespace maejin::cli {
namespace {

using WalkClock = std::chrono::steady_clock;
constexpr Millis kLineLookEvery{1000};
constexpr std::int64_t kWalkThreads = 32;
constexpr Seconds kPageWithin{30};

struct ThroughPlan {
  std::string url;
  std::int64_t visitors = 0;
  std::int64_t within_seconds = 0;
  std::int64_t stay_ms = 0;
  std::int64_t patience_seconds = 0;
};

struct ThroughReport {
  std::int64_t reached = 0;
  std::int64_t waited = 0;
  Millis longest{0};
  std::vector<std::string> faults;  // one for each visitor that did not reach the site
};

// One visitor's way: to the site, through the line, back, and away.
class Walk {
 public:
  Walk(const ThroughPlan& plan, WalkClock::time_point starts)
      : plan_(&plan), due_(starts), url_(plan.url), visitor_(kPageWithin) {}

  WalkClock::time_point due() const { return due_; }
  bool done() const { return done_; }

  void Step(WalkClock::time_point now, ThroughReport& report, std::mutex& mutex) {
    if (!started_) started_ = now;
    if (inside_) {
      visitor_.Leave();
      done_ = true;
      return;
    }
    const auto page = visitor_.Open(url_);
    const std::lock_guard lock(mutex);
    const auto spent = std::chrono::duration_cast<Millis>(WalkClock::now() - *started_);
    if (page && page->status == 200 && !IsWaitingPage(page->url)) {
      inside_ = true;
      due_ = WalkClock::now() + Millis(plan_->stay_ms);
      ++report.reached;
      report.waited += looks_ > 0 ? 1 : 0;
      report.longest = std::max(report.longest, spent);
      return;
    }
    const bool waits = page && page->status == 200;
    if (waits && spent < Seconds(plan_->patience_seconds)) {
      ++looks_;
      url_ = page->url;
      due_ = WalkClock::now() + kLineLookEvery;
      return;
    }
    report.faults.push_back(!page   ? page.error()
                            : waits ? "still waits at the end of --patience"
                                    : fmt::format("status {} at {}", page->status, page->url));
    done_ = true;
  }

 private:
  const ThroughPlan* plan_;
  WalkClock::time_point due_;
  std::string url_;
  SiteVisitor visitor_;
  std::optional<WalkClock::time_point> started_ = {};
  int looks_ = 0;
  bool inside_ = false;
  bool done_ = false;
};

void WalkAll(std::vector<Walk> walks, ThroughReport& report, std::mutex& mutex) {
  while (!walks.empty()) {
    const auto next = std::ranges::min_element(walks, {}, &Walk::due);
    std::this_thread::sleep_until(next->due());
    next->Step(WalkClock::now(), report, mutex);
    if (next->done()) walks.erase(next);
  }
}

ThroughReport RunWalks(const ThroughPlan& plan) {
  ThroughReport report;
  std::mutex mutex;
  const auto begin = WalkClock::now();
  const auto threads = std::min(plan.visitors, kWalkThreads);
  std::vector<std::thread> running;
  for (std::int64_t thread = 0; thread < threads; ++thread) {
    std::vector<Walk> walks;
    for (auto visitor = thread; visitor < plan.visitors; visitor += threads)
      walks.emplace_back(plan, begin + Millis(plan.within_seconds * 1000 * visitor / plan.visitors));
    running.emplace_back(
        [&report, &mutex, all = std::move(walks)]() mutable { WalkAll(std::move(all), report, mutex); });
  }
  for (auto& each : running) each.join();
  return report;
}

std::string ThroughJson(const ThroughPlan& plan, const ThroughReport& report) {
  return JsonObjectText([&](JsonWriter& json) {
           json.Field("through", plan.url);
           json.Field("visitors", plan.visitors);
           json.Field("reached", report.reached);
           json.Field("waited", report.waited);
           json.Field("longestMs", report.longest.count());
           json.Array("faults", [&] {
             for (const auto& fault : report.faults) json.Element(fault);
           });
         }) +
         "\n";
}

}  // namespace

int RehearseThrough(const Invocation& invocation) {
  ThroughPlan plan;
  plan.url = invocation.Text("through");
  if (!ParseWebUrl(plan.url))
    return FailUsage(fmt::format("--through must be an http or https URL, not \"{}\"", plan.url));
  if (!ReadNumber(invocation, "fans", 1, 50'000, plan.visitors) ||
      !ReadNumber(invocation, "arrive-within", 0, 3600, plan.within_seconds) ||
      !ReadNumber(invocation, "think-ms", 0, 60'000, plan.stay_ms) ||
      !ReadNumber(invocation, "patience", 1, 86'400, plan.patience_seconds)) {
    return kExitUsage;
  }
  const auto report = RunWalks(plan);
  if (invocation.json) {
    fmt::print("{}", ThroughJson(plan, report));
  } else {
    fmt::print("{} of {} visitors reached {}; {} waited; the slowest took {:.1f} s\n", report.reached,
               plan.visitors, plan.url, report.waited, static_cast<double>(report.longest.count()) / 1000);
    for (const auto& fault : report.faults) fmt::print("not reached: {}\n", fault);
  }
  return report.faults.empty() ? kExitDone : kExitError;
}

}  // namespace maejin::cli
