// Opens connections within the address's timeout: finds the server, connects, and runs the handshake. Does
// the I/O for handshake.h and sentinel_walk.h.
#pragma once

#include <memory>
#include <string>

#include "adapters/redis/client/sentinel_walk.h"
#include "adapters/redis/client/stream.h"

namespace maejin::redis {

// Closes the stream after `timeout`, unless this object is destroyed before. Belongs to the stream's thread.
class StreamTimeout {
 public:
  StreamTimeout(boost::asio::io_context& context, std::shared_ptr<Stream> stream, Millis timeout);
  ~StreamTimeout();
  StreamTimeout(const StreamTimeout&) = delete;
  StreamTimeout& operator=(const StreamTimeout&) = delete;

 private:
  struct Timer;
  std::shared_ptr<Timer> timer_;
};

struct Opened {
  std::shared_ptr<Stream> stream;
  Endpoint endpoint;
  std::string server;  // run id
};
using OpenResult = Result<Opened, std::string>;

// A connection to exactly this endpoint, after its handshake. `address` gives password, database, TLS and
// timeout.
Task<OpenResult> OpenNode(boost::asio::io_context& context, Address address, Endpoint endpoint,
                          bool must_be_primary);

// A connection to the primary: the address's server, or the one that its sentinels name.
Task<OpenResult> OpenPrimary(boost::asio::io_context& context, Address address,
                             std::shared_ptr<SentinelWalk> walk);

// A connection to the first endpoint of the address that answers, a sentinel or a server of a cluster: for
// pub/sub.
Task<OpenResult> OpenAny(boost::asio::io_context& context, Address address);

// Sends one command on a new connection, returns the reply, and closes the connection.
Task<CallResult> AskOnce(boost::asio::io_context& context, Address address, Endpoint endpoint,
                         Command question);

// `address` without database, user and password: sentinels have no databases, and they have users of their
// own.
Address ForSentinels(Address address);

}  // namespace maejin::redis
