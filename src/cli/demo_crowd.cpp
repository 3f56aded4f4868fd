#include "cli/demo_crowd.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace maejin::cli {

Crowd::Crowd(Stage stage, int fans, Millis arriving) : stage_(std::move(stage)) {
  for (int i = 0; i < fans; ++i) {
    fans_.push_back(std::make_unique<Fan>(context_.get_executor(), stage_, i + 1, counts_, stopping_));
    const Millis delay = arriving * i / fans;
    boost::asio::co_spawn(context_.get_executor(), fans_.back()->Run(delay), boost::asio::detached);
  }
  thread_ = std::thread([this] { context_.run(); });
}

Crowd::~Crowd() {
  stopping_ = true;
  thread_.join();
}

}  // namespace maejin::cli
