// Opens connections: finds the node, connects, says the first words; all of it within the address's time-out.
// A thin shell around handshake.h and sentinel_walk.h.
#pragma once

#include <memory>
#include <string>

#include "adapters/redis/client/sentinel_walk.h"
#include "adapters/redis/client/stream.h"

namespace maejin::redis {

// Closes the stream when the time is over, unless it is destroyed before. Same thread as the stream.
class Guard {
 public:
  Guard(boost::asio::io_context& context, std::shared_ptr<Stream> stream, Millis timeout);
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  struct Timer;
  std::shared_ptr<Timer> timer_;
};

struct Opened {
  std::shared_ptr<Stream> stream;
  Endpoint endpoint;
  std::string server;  // its run id
};
using OpenResult = Result<Opened, std::string>;

// A connection to exactly this node, past its handshake. `address` gives password, database, TLS and
// time-out.
Task<OpenResult> OpenNode(boost::asio::io_context& context, Address address, Endpoint endpoint,
                          bool must_be_primary);

// A connection to the primary: the address's server, or whom its sentinels name. `walk` remembers who knew.
Task<OpenResult> OpenPrimary(boost::asio::io_context& context, Address address,
                             std::shared_ptr<SentinelWalk> walk);

// A connection to any sentinel that answers, or to any node of a cluster: for pub/sub.
Task<OpenResult> OpenAny(boost::asio::io_context& context, Address address);

// One question on a connection of its own.
Task<CallResult> AskOnce(boost::asio::io_context& context, Address address, Endpoint endpoint,
                         Command question);

// As `address`, but without what a sentinel does not know: database and, since sentinels have users of their
// own, password.
Address ForSentinels(Address address);

}  // namespace maejin::redis
