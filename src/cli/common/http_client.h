// A small blocking HTTP/1.1 client for the command line: one keep-alive connection. Only the implementation
// includes libcurl. Not thread-safe: one client per thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace maejin::cli {

struct HttpAnswer {
  int status = 0;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;

  // The value of the first header of this name (case-insensitive), or empty.
  std::string_view Header(std::string_view name) const;
};

struct HttpCall {
  std::string method = "GET";
  std::string target;     // "/api/v1/concerts"
  std::string body = {};  // sent as application/json unless a header says otherwise
  std::vector<std::pair<std::string, std::string>> headers = {};
};

class HttpClient {
 public:
  // `address`: "http://127.0.0.1:8080", "127.0.0.1:8080" or "https://tickets.example". Connects on first
  // use.
  explicit HttpClient(std::string address);
  ~HttpClient();
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;

  void SetTimeout(Seconds timeout);
  // Sent with every call.
  void AddHeader(std::string name, std::string value);

  // The answer, with any status. The error is a sentence: no connection, connection lost, or timeout. Retries
  // once if the server closed the connection between two calls.
  Result<HttpAnswer, std::string> Call(const HttpCall& call);

  // Fills the next piece of a body; returns false at the end.
  using NextPiece = std::function<bool(std::string&)>;
  // Sends a long body in chunks, on a new connection.
  Result<HttpAnswer, std::string> Upload(const HttpCall& call, const NextPiece& next);

 private:
  class Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace maejin::cli
