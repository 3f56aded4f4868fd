#include "app/readiness.h"

#include <iterator>

#include <boost/asio/post.hpp>

#include "app/node_checks.h"
#include "app/sale_checks.h"
#include "base/run_elsewhere.h"

namespace maejin::app {

Task<Outcome<std::vector<Finding>>> Readiness::Examine(std::optional<ConcertId> sale) {
  const auto post = [this](std::function<void()> work) { boost::asio::post(thread_, std::move(work)); };
  std::vector<Finding> findings;
  if (sale) {
    if (stopped_) co_return Refusal::kUnavailable;
    const auto search = [this] { return LastRehearsal(ports_.bookings, ports_.clock.Now()); };
    auto rehearsal = co_await RunElsewhere(post, search);
    auto examined = co_await ExamineSale(config_, ports_, *sale, std::move(rehearsal));
    if (!examined.ok()) co_return examined.error();
    findings = std::move(*examined);
  }
  if (stopped_) co_return Refusal::kUnavailable;
  const auto examine = [this, with_payment = sale.has_value()] {
    auto found = ExamineNode(config_);
    if (with_payment) found.push_back(CheckPayment(config_));
    return found;
  };
  auto others = co_await RunElsewhere(post, examine);
  std::move(others.begin(), others.end(), std::back_inserter(findings));
  co_return findings;
}

void Readiness::Stop() {
  stopped_ = true;
  thread_.join();
}

}  // namespace maejin::app
