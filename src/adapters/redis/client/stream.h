// A byte stream to one server, plain or TLS. Asio's sockets and OpenSSL stay behind it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>

#include "adapters/redis/client/url.h"
#include "base/task.h"

namespace maejin::redis {

// Not thread-safe: belongs to the thread of its io_context. An operation keeps the stream alive until it
// ends.
class Stream {
 public:
  virtual ~Stream() = default;

  // Errors are texts for the log; Close() ends a pending operation with one.
  virtual Task<Result<Done, std::string>> Connect(Endpoint endpoint) = 0;
  // Returns at least one byte, in the stream's buffer until the next Read.
  virtual Task<Result<std::string_view, std::string>> Read() = 0;
  // Writes all bytes. One Write at a time.
  virtual Task<Result<Done, std::string>> Write(std::string bytes) = 0;
  virtual void Close() = 0;

  // Fails if the file of the certificate authority cannot be read.
  static Result<std::shared_ptr<Stream>, std::string> Make(boost::asio::io_context& context,
                                                           const Address& address);
};

}  // namespace maejin::redis
