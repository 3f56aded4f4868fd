// The first commands on a connection: authentication, database, client name, the server's run id and role.
#pragma once

#include <string>
#include <vector>

#include "adapters/redis/client/command.h"
#include "adapters/redis/client/reply.h"
#include "adapters/redis/client/url.h"

namespace maejin::redis {

// Does no I/O: the caller sends commands() in one write and passes the replies in order.
class Handshake {
 public:
  enum class Next : std::uint8_t { kMore, kReady, kFailed };

  // `must_be_primary`: fail on a replica, e.g. when a sentinel's answer is stale.
  Handshake(const Address& address, bool must_be_primary);

  const std::vector<Command>& commands() const { return commands_; }
  Next OnReply(const Reply& reply);
  // kReady: the server's run id, which changes with every start; empty where the account may not use INFO.
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
