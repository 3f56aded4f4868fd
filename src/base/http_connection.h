// A client's HTTP/1.1 connection, plain or with TLS. Its operations are coroutines. This header does not
// include Boost.Beast.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/ssl/context.hpp>

#include "base/task.h"

namespace maejin {

// The texts outlive the exchange.
struct HttpRequestHead {
  std::string_view method = "GET";
  std::string_view target;
  std::string host;  // "127.0.0.1:8080"
  std::vector<std::pair<std::string_view, std::string_view>> headers = {};
};

struct HttpResponse {
  int status = 0;      // 0: no whole response before the deadline
  bool began = false;  // at least one byte was received
  bool keeps = false;  // the connection can serve another request
  std::string body = {};
};

// Used on the thread of its executor. One operation at a time; Close() may come during one.
class HttpConnection {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  // `tls`: null for plain HTTP. It outlives the connection.
  HttpConnection(Executor executor, boost::asio::ssl::context* tls);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  // Returns why the connection could not be opened; an empty text if it is open. `host`: an IP address or a
  // name. With TLS, the server's certificate must be valid for it.
  Task<std::string> Connect(std::string host, std::uint16_t port, Deadline deadline);
  // Sends a request and receives the response. `body`: JSON, or empty. `longest`: a longer body counts as no
  // response.
  Task<HttpResponse> Exchange(HttpRequestHead head, std::string_view body, std::uint64_t longest,
                              Deadline deadline);
  // Ends an operation in progress. The connection cannot be used again.
  void Close();

 private:
  class Channel;
  std::unique_ptr<Channel> channel_;
};

}  // namespace maejin
