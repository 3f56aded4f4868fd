#include "cli/fans/crowd.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace maejin::cli {

std::vector<Millis> Arrivals(int fans, Millis period) {
  std::vector<Millis> arrivals;
  for (int i = 0; i < fans; ++i) arrivals.push_back(period * i / fans);
  return arrivals;
}

Crowd::Crowd(SimulatedSale sale, const std::vector<Millis>& arrivals, ExchangeObserver* observer, int first)
    : sale_(std::move(sale)), client_(context_.get_executor(), sale_.server, sale_.connections) {
  const Fan::Shared shared{sale_, counts_, stopping_, client_, observer};
  for (const auto arrival : arrivals) {
    const auto number = static_cast<int>(fans_.size()) + first;
    fans_.push_back(std::make_unique<Fan>(context_.get_executor(), shared, number));
    boost::asio::co_spawn(context_.get_executor(), fans_.back()->Run(arrival), boost::asio::detached);
  }
  thread_ = std::thread([this] { context_.run(); });
}

Crowd::~Crowd() {
  stopping_ = true;
  thread_.join();
}

}  // namespace maejin::cli
