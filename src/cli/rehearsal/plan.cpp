#include "cli/rehearsal/plan.h"

#include <filesystem>

#include "cli/fans/crowd.h"
#include "domain/rehearsal.h"

namespace maejin::cli {
namespace {

bool ReadRehearsalNumber(const Invocation& invocation, RehearsalKey key, std::int64_t& number) {
  const auto& allowed = NumberOf(key);
  return ReadNumber(invocation, allowed.flag, allowed.min, allowed.max, number);
}

VerbFlag NumberFlag(RehearsalKey key, std::string_view argument, std::string_view sentence) {
  return {NumberOf(key).flag, argument, NumberOf(key).fallback, sentence};
}

}  // namespace

std::vector<VerbFlag> RehearsalFlags() {
  return {
      {"url", "URL", "", "URL of the server, http://ADDRESS:PORT (default: the server that runs on --data)"},
      {"through", "URL", "",
       "Instead of an on-sale: visitors open this page of a site behind a connector, wait and come back"},
      NumberFlag(RehearsalKey::kFans, "N", "Number of simulated fans"),
      NumberFlag(RehearsalKey::kSeats, "N", "Number of seats, over all dates"),
      NumberFlag(RehearsalKey::kDates, "N", "Number of dates"),
      NumberFlag(RehearsalKey::kCapacity, "N", "Capacity of the waiting room"),
      NumberFlag(RehearsalKey::kOpensIn, "SECONDS",
                 "Time until the opening; a third of the fans arrive before it and are drawn"),
      NumberFlag(RehearsalKey::kArriveWithin, "SECONDS",
                 "Time after the opening in which the other fans arrive"),
      NumberFlag(RehearsalKey::kThinkTime, "MS", "Average time between hold and payment"),
      NumberFlag(RehearsalKey::kHold, "SECONDS", "Duration of a hold; some fans abandon theirs"),
      NumberFlag(RehearsalKey::kPatience, "SECONDS", "Time limit for the sell-out after the opening"),
      NumberFlag(RehearsalKey::kConnections, "N",
                 "Connections that the fans share (default: as many as the limits allow)"),
      NumberFlag(RehearsalKey::kSeed, "N", "Seed of the fans' random behaviour"),
      {"progress", "FORMAT", "text", "Format of the progress: text, or json for one object per line"},
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
  if (!ReadRehearsalNumber(invocation, RehearsalKey::kFans, plan.fans) ||
      !ReadRehearsalNumber(invocation, RehearsalKey::kSeats, plan.seats) ||
      !ReadRehearsalNumber(invocation, RehearsalKey::kDates, plan.dates) ||
      !ReadRehearsalNumber(invocation, RehearsalKey::kCapacity, plan.capacity) ||
      !ReadRehearsalNumber(invocation, RehearsalKey::kOpensIn, opens_in) ||
      !ReadRehearsalNumber(invocation, RehearsalKey::kArriveWithin, within) ||
      !ReadRehearsalNumber(invocation, RehearsalKey::kThinkTime, think_time) ||
      !ReadRehearsalNumber(invocation, RehearsalKey::kHold, hold) ||
      !ReadRehearsalNumber(invocation, RehearsalKey::kPatience, patience) ||
      !ReadRehearsalNumber(invocation, RehearsalKey::kSeed, plan.seed) ||
      (given && !ReadRehearsalNumber(invocation, RehearsalKey::kConnections, plan.connections))) {
    return false;
  }
  if (!AreSeatsEqual(plan.seats, plan.dates)) {
    FailUsage("--seats must be a multiple of --dates, because every date has the same number of seats");
    return false;
  }
  const auto progress = invocation.Text("progress");
  if (progress != "text" && progress != "json") {
    FailUsage("--progress must be text or json");
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
  plan.json_progress = progress == "json";
  plan.with_sale_report = invocation.json;
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
