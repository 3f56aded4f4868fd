// A byte stream to one server, plain or TLS. Asio's sockets and OpenSSL stay behind it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>

#include "adapters/redis/client/url.h"
#include "base/task.h"

namespace maejin::redis {

// Belongs to the thread of its io_context. Every operation keeps the stream alive until it has ended.
class Stream {
 public:
  virtual ~Stream() = default;

  // Errors are sentences; Close() ends a waiting operation with one.
  virtual Task<Result<Done, std::string>> Connect(Endpoint endpoint) = 0;
  // At least one byte into the stream's own buffer, valid until the next Read.
  virtual Task<Result<std::string_view, std::string>> Read() = 0;
  // All of it. One Write at a time.
  virtual Task<Result<Done, std::string>> Write(std::string bytes) = 0;
  virtual void Close() = 0;

  // The error: the authority's file cannot be read.
  static Result<std::shared_ptr<Stream>, std::string> Make(boost::asio::io_context& context,
                                                           const Address& address);
};

}  // namespace maejin::redis
