// The completion token for Asio operations inside a Task: errors are returned as values, not thrown.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/task.h"

namespace maejin {

inline constexpr auto kAwait = boost::asio::as_tuple(boost::asio::use_awaitable_t<Executor>{});

}  // namespace maejin
