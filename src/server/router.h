// The table of routes. Each area of the program adds its own (src/http/*/routes.cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "domain/operator_role.h"
#include "domain/refusal.h"
#include "server/request.h"
#include "server/response.h"

namespace maejin::http {

// The access that a route requires, checked before its handler runs.
enum class Access : std::uint8_t {
  kPublic,
  kAdmin,  // an operator's key or session, of the route's least role or a higher one
};

// Classes of requests, in the order in which load shedding refuses them; kAlways is never shed
// (docs/operations.md).
enum class Priority : std::uint8_t { kJoin, kPoll, kHold, kPay, kRefund, kAlways };

// Fills the response, or refuses: the server turns a refusal into a problem. May wait.
// `request` and `response` live until the task ends.
using Handler = std::function<Task<Outcome<Done>>(const Request&, Response&)>;

// Fills the response at once, without a coroutine frame. False: the route's Handler is called instead.
// Must not block, allocate or lock anything global. A refusal is written with WriteProblem().
using InlineHandler = std::function<bool(const Request&, Response&)>;

// A long body, read piece by piece as it arrives.
class BodyReader {
 public:
  virtual ~BodyReader() = default;
  // The next piece (valid until the next call), or an empty one at the end. Refuses: kInvalidJson (the
  // client closed early or framed badly), kUnavailable (past a deadline).
  virtual Task<Outcome<std::string_view>> Next() = 0;
};
using UploadHandler = std::function<Task<Outcome<Done>>(const Request&, BodyReader&, Response&)>;

// One Server-Sent Events listener. Cheap to keep idle: no coroutine, no timer, no buffer of its own.
// Thread-safe; frames of one listener arrive in the order of the calls.
class EventStream {
 public:
  virtual ~EventStream() = default;
  // Sends one frame. `frame` includes the blank line that ends it. A broadcast shares one buffer among all
  // listeners. A listener that does not read is closed once its backlog passes the limit.
  virtual void Send(SharedText frame) = 0;
  // Ends the stream after all sent frames.
  virtual void Close() = 0;
  virtual bool closed() const = 0;
};
// Keeps the stream, to send frames later, or refuses the request. `request` is valid only during the call.
using StreamHandler = std::function<Outcome<Done>(const Request&, std::shared_ptr<EventStream>)>;

struct Route {
  Method method = Method::kGet;
  std::string pattern;  // "/api/v1/rooms/{eventId}/entries/me"
  Access access = Access::kPublic;
  // The least role of an operator's key for an admin route, set by Router::SetLeastRole.
  OperatorRole least_role = OperatorRole::kOwner;
  Priority priority = Priority::kPoll;
  // Set one of `handler`, `upload` and `stream`. An `inline_handler` is tried first, and may be the only one.
  Handler handler = {};
  InlineHandler inline_handler = {};
  UploadHandler upload = {};
  StreamHandler stream = {};
  // False: a gateway sends the requests, one for each request of a visitor. They do not count for the address
  // that a trusted proxy forwards.
  bool counts_for_address = true;
  // The answers come from a copy of the database. While the database does not answer, they have an Age.
  bool has_age = false;
  // The index in the table, set by Router::Add. Metrics use the same index.
  std::size_t number = 0;
};

// Built once at start, read by all threads afterwards.
class Router {
 public:
  // A second route of the same method and pattern is a bug and aborts. A GET route also serves HEAD.
  void Add(Route route);

  // Sets the route of all paths that no other route has; its pattern does not matter. At most one.
  void AddFallback(Route route);

  // Sets the least role of an admin route; the names of its placeholders do not matter. Call before the
  // server starts. False: there is no such admin route.
  bool SetLeastRole(Method method, std::string_view pattern, OperatorRole least);

  // Finds the route and fills request.params. Refuses: kNotFound, kMethodNotAllowed (about = the methods for
  // the Allow header, "GET, HEAD"). Allocates nothing on success.
  Outcome<const Route*> Match(Request& request) const;

  // All routes, by number.
  const std::vector<std::unique_ptr<Route>>& routes() const { return routes_; }

  ~Router();
  Router();

 private:
  struct Node;
  std::unique_ptr<Node> root_;
  std::vector<std::unique_ptr<Route>> routes_;
  const Route* fallback_ = nullptr;
};

}  // namespace maejin::http
