// A timer of the steady clock on our executor.
#pragma once

#include <chrono>

#include <boost/asio/basic_waitable_timer.hpp>

#include "base/task.h"

namespace maejin {

using SteadyTimer =
    boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                      boost::asio::wait_traits<std::chrono::steady_clock>, Executor>;

}  // namespace maejin
