// An independent client of the lock that behaves like Redisson on the wire: a blocking connection and scripts
// after Redisson's documented protocol. Shares no code with maejin.
#pragma once

#include <hiredis/hiredis.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace maejin::test {

class RedissonClient {
 public:
  RedissonClient(std::uint16_t port, std::string holder)
      : context_(redisConnect("127.0.0.1", port)), holder_(std::move(holder)) {
    if (context_ == nullptr || context_->err != 0) throw std::runtime_error("redisConnect");
    const timeval limit{60, 0};
    redisSetTimeout(context_.get(), limit);
  }

  // tryLock without waiting: empty on success, else the remaining time of the other lease.
  bool TryLock(const std::string& name, int lease_ms) {
    const auto reply = Run(
        {"EVAL",
         "if ((redis.call('exists', KEYS[1]) == 0) or (redis.call('hexists', KEYS[1], ARGV[2]) == 1)) then "
         "redis.call('hincrby', KEYS[1], ARGV[2], 1); redis.call('pexpire', KEYS[1], ARGV[1]); "
         "return nil; end; return redis.call('pttl', KEYS[1]);",
         "1", name, std::to_string(lease_ms), holder_});
    return reply->type == REDIS_REPLY_NIL;
  }

  bool Unlock(const std::string& name) {
    const auto reply =
        Run({"EVAL",
             "if (redis.call('hexists', KEYS[1], ARGV[3]) == 0) then return nil; end; "
             "local left = redis.call('hincrby', KEYS[1], ARGV[3], -1); "
             "if (left > 0) then redis.call('pexpire', KEYS[1], ARGV[2]); return 0; "
             "else redis.call('del', KEYS[1]); redis.call('publish', KEYS[2], ARGV[1]); return 1; end;",
             "2", name, "redisson_lock__channel:{" + name + "}", "0", "30000", holder_});
    return reply->type == REDIS_REPLY_INTEGER;
  }

  void Subscribe(const std::string& name) { Run({"SUBSCRIBE", "redisson_lock__channel:{" + name + "}"}); }
  // Blocks until a message arrives on the channel of a lock.
  std::string AwaitMessage() {
    void* raw = nullptr;
    if (redisGetReply(context_.get(), &raw) != REDIS_OK) throw std::runtime_error("no message");
    const Owned reply(static_cast<redisReply*>(raw));
    return reply->element[2]->str;
  }

 private:
  struct Free {
    void operator()(redisContext* context) const { redisFree(context); }
    void operator()(redisReply* reply) const { freeReplyObject(reply); }
  };
  using Owned = std::unique_ptr<redisReply, Free>;

  Owned Run(const std::vector<std::string>& words) {
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
    for (const auto& word : words) {
      texts.push_back(word.data());
      sizes.push_back(word.size());
    }
    Owned reply(static_cast<redisReply*>(
        redisCommandArgv(context_.get(), static_cast<int>(words.size()), texts.data(), sizes.data())));
    if (!reply || reply->type == REDIS_REPLY_ERROR)
      throw std::runtime_error(reply ? reply->str : "no answer");
    return reply;
  }

  std::unique_ptr<redisContext, Free> context_;
  std::string holder_;
};

}  // namespace maejin::test
