// The first words on a connection: who we are, which database, who the server is, and whether it is the primary.
#pragma once

#include <string>
#include <vector>

#include "adapters/redis/client/command.h"
#include "adapters/redis/client/reply.h"
#include "adapters/redis/client/url.h"

namespace maejin::redis {

// Decides only: send commands() in one write, give back the replies in order.
class Handshake {
 public:
  enum class Next : std::uint8_t { kMore, kReady, kFailed };

  // `must_be_primary`: refuse a replica, e.g. one that a sentinel still takes for the primary.
  Handshake(const Address& address, bool must_be_primary);

  const std::vector<Command>& commands() const { return commands_; }
  Next OnReply(const Reply& reply);
  // kReady: the server's run id, another one after every start; empty where the account may not ask.
  const std::string& server() const { return server_; }
  // kFailed: a sentence without secrets.
  const std::string& error() const { return error_; }

 private:
  enum class Step : std::uint8_t { kAuth, kSelect, kName, kServer, kRole };

  std::vector<Command> commands_;
  std::vector<Step> steps_;
  std::size_t at_ = 0;
  std::string server_;
  std::string error_;
};

}  // namespace maejin::redis
