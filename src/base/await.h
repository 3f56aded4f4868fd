// How Asio's own operations are awaited inside a Task: errors come back as values, nothing throws.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/task.h"

namespace maejin {

inline constexpr auto kAwait = boost::asio::as_tuple(boost::asio::use_awaitable_t<Executor>{});

}  // namespace maejin
