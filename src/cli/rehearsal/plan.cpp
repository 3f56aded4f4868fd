#include "cli/rehearsal/plan.h"

#include <filesystem>

#include "cli/fans/crowd.h"

namespace maejin::cli {

std::vector<VerbFlag> RehearsalFlags() {
  return {
      {"url", "URL", "", "URL of the server, http://ADDRESS:PORT (default: the server that runs on --data)"},
      {"through", "URL", "",
       "Instead of an on-sale: visitors open this page of a site behind a connector, wait and come back"},
      {"fans", "N", "500", "Number of simulated fans"},
      {"seats", "N", "300", "Number of seats, over all dates"},
      {"dates", "N", "1", "Number of dates"},
      {"capacity", "N", "100", "Capacity of the waiting room"},
      {"opens-in", "SECONDS", "5",
       "Time until the opening; a third of the fans arrive before it and are drawn"},
      {"arrive-within", "SECONDS", "10", "Time after the opening in which the other fans arrive"},
      {"think-ms", "MS", "1500", "Average time between hold and payment"},
      {"hold-seconds", "SECONDS", "10", "Duration of a hold; some fans abandon theirs"},
      {"patience", "SECONDS", "300", "Time limit for the sell-out after the opening"},
      {"connections", "N", "", "Connections that the fans share (default: as many as the limits allow)"},
      {"seed", "N", "1", "Seed of the fans' random behaviour"},
      {"report", "FILE", "", "Also write the sale report to this file: .json, .csv or .html"},
      {"keep", "", "", "Do not cancel the concert at the end"}};
}

bool ReadPlan(const Invocation& invocation, RehearsalPlan& plan) {
  std::int64_t opens_in = 0;
  std::int64_t within = 0;
  std::int64_t think_time = 0;
  std::int64_t hold = 0;
  std::int64_t patience = 0;
  const bool given = invocation.Has("connections");
  if (!ReadNumber(invocation, "fans", 1, 50'000, plan.fans) ||
      !ReadNumber(invocation, "seats", 1, 50'000, plan.seats) ||
      !ReadNumber(invocation, "dates", 1, 100, plan.dates) ||
      !ReadNumber(invocation, "capacity", 1, 50'000, plan.capacity) ||
      !ReadNumber(invocation, "opens-in", 0, 3600, opens_in) ||
      !ReadNumber(invocation, "arrive-within", 0, 3600, within) ||
      !ReadNumber(invocation, "think-ms", 0, 60'000, think_time) ||
      !ReadNumber(invocation, "hold-seconds", 1, 3600, hold) ||
      !ReadNumber(invocation, "patience", 1, 86'400, patience) ||
      !ReadNumber(invocation, "seed", 0, INT32_MAX, plan.seed) ||
      (given && !ReadNumber(invocation, "connections", 1, 50'000, plan.connections))) {
    return false;
  }
  if (plan.seats % plan.dates != 0) {
    FailUsage("--seats must be a multiple of --dates, because every date has the same number of seats");
    return false;
  }
  const auto report = std::filesystem::path(invocation.Text("report"));
  const auto format = report.extension();
  if (!report.empty() && format != ".json" && format != ".csv" && format != ".html") {
    FailUsage("--report must be a file that ends with .json, .csv or .html");
    return false;
  }
  plan.opens_in = Seconds(opens_in);
  plan.arrive_within = Seconds(within);
  plan.think_time = Millis(think_time);
  plan.hold = Seconds(hold);
  plan.patience = Seconds(patience);
  plan.keep = invocation.Has("keep");
  plan.report = invocation.Text("report");
  return true;
}

std::vector<Millis> ArrivalsOf(const RehearsalPlan& plan) {
  const auto fans = static_cast<int>(plan.fans);
  const int early = plan.opens_in.count() > 0 ? fans / 3 : 0;
  auto arrivals = Arrivals(early, plan.opens_in);
  for (const auto after : Arrivals(fans - early, plan.arrive_within))
    arrivals.push_back(plan.opens_in + after);
  return arrivals;
}

}  // namespace maejin::cli
