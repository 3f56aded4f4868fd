// One request and its response, while the request is served. Each thread has a pool of exchanges, so that an
// idle connection holds none.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "server/request.h"
#include "server/request_head.h"
#include "server/response.h"
#include "server/router.h"

namespace maejin::http {

struct Exchange {
  RequestHead head;
  Request request;
  Response response;
  const Route* route = nullptr;
  std::chrono::steady_clock::time_point started;
  // Upload routes: a copy of the head, because the connection's buffer is needed for the body.
  std::string head_copy;
  // The client address that a trusted proxy forwarded; request.client then points here. Otherwise empty.
  std::string forwarded_client;
  // The request's id if the client sent none; request.request_id then points here.
  std::string own_request_id;
};

// Used by one thread.
class ExchangePool {
 public:
  std::unique_ptr<Exchange> Take() {
    if (free_.empty()) return std::make_unique<Exchange>();
    auto exchange = std::move(free_.back());
    free_.pop_back();
    return exchange;
  }
  void Give(std::unique_ptr<Exchange> exchange) {
    if (free_.size() == kKept) return;
    exchange->route = nullptr;
    exchange->response.Clear();
    free_.push_back(std::move(exchange));
  }

 private:
  static constexpr std::size_t kKept = 256;
  std::vector<std::unique_ptr<Exchange>> free_;
};

}  // namespace maejin::http
