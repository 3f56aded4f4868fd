// Task<T>: a coroutine, which frees its thread at every co_await.
//
// GCC 12.2 miscompiles `c ? co_await a : co_await b` and rejects braced lists inside co_await: await
// only in plain statements (`auto x = co_await f(y);`). tests/house checks it.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

namespace maejin {

// A concrete executor, because any_io_executor would cost a type erasure at every step.
using Executor = boost::asio::io_context::executor_type;

template <class T>
using Task = boost::asio::awaitable<T, Executor>;

}  // namespace maejin
