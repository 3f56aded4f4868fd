// Parses RESP with hiredis' parser, which builds Reply values directly.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/redis/client/reply.h"

struct redisReader;

namespace maejin::redis {

// Not thread-safe. One reader per connection: after an error it cannot be used again.
class ReplyReader {
 public:
  ReplyReader();

  void Feed(std::string_view bytes);
  // The next complete reply. Absent: more bytes are needed, or error() is set.
  std::optional<Reply> Next();
  // Set once the bytes are not RESP.
  const std::string& error() const { return error_; }

 private:
  struct Free {
    void operator()(redisReader* reader) const;
  };

  std::unique_ptr<redisReader, Free> reader_;
  std::string error_;
};

}  // namespace maejin::redis
