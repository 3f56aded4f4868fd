#include "cli/rehearsal/plan.h"

#include "cli/fans/crowd.h"

namespace maejin::cli {

std::vector<VerbFlag> RehearsalFlags() {
  return {{"url", "URL", "", "The server, http://ADDRESS:PORT; where absent, the one that runs on --data"},
          {"fans", "N", "500", "How many fans want a seat"},
          {"seats", "N", "300", "How many seats there are, over all dates"},
          {"dates", "N", "1", "How many dates the concert has"},
          {"capacity", "N", "100", "How many fans the waiting room lets in at once"},
          {"opens-in", "SECONDS", "5", "The countdown; a third of the fans come during it, and are drawn"},
          {"arrive-within", "SECONDS", "10", "The other fans come within so long after the opening"},
          {"think-ms", "MS", "1500", "How long a fan looks at held seats before paying, about"},
          {"hold-seconds", "SECONDS", "10", "How long a hold lasts: some fans walk away from theirs"},
          {"patience", "SECONDS", "300", "A sale that takes longer after its opening is ended"},
          {"connections", "N", "", "Connections to share; where absent, as many as the limits allow"},
          {"seed", "N", "1", "Another number, another crowd"},
          {"keep", "", "", "Leave the concert as it was sold, instead of cancelling it"}};
}

bool ReadPlan(const Invocation& invocation, RehearsalPlan& plan) {
  std::int64_t opens_in = 0;
  std::int64_t within = 0;
  std::int64_t thinks = 0;
  std::int64_t hold = 0;
  std::int64_t patience = 0;
  const bool given = invocation.Has("connections");
  if (!ReadNumber(invocation, "fans", 1, 50'000, plan.fans) ||
      !ReadNumber(invocation, "seats", 1, 50'000, plan.seats) ||
      !ReadNumber(invocation, "dates", 1, 100, plan.dates) ||
      !ReadNumber(invocation, "capacity", 1, 50'000, plan.capacity) ||
      !ReadNumber(invocation, "opens-in", 0, 3600, opens_in) ||
      !ReadNumber(invocation, "arrive-within", 0, 3600, within) ||
      !ReadNumber(invocation, "think-ms", 0, 60'000, thinks) ||
      !ReadNumber(invocation, "hold-seconds", 1, 3600, hold) ||
      !ReadNumber(invocation, "patience", 1, 86'400, patience) ||
      !ReadNumber(invocation, "seed", 0, INT32_MAX, plan.seed) ||
      (given && !ReadNumber(invocation, "connections", 1, 50'000, plan.connections))) {
    return false;
  }
  if (plan.seats % plan.dates != 0) {
    Misuse("--seats must be a multiple of --dates: every date has the same number");
    return false;
  }
  plan.opens_in = Seconds(opens_in);
  plan.arrive_within = Seconds(within);
  plan.thinks = Millis(thinks);
  plan.hold = Seconds(hold);
  plan.patience = Seconds(patience);
  plan.keep = invocation.Has("keep");
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
