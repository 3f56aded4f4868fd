// Pub/sub on a connection of its own, which is reopened when it breaks. Messages may be lost until then, so
// each listener is also called after every (re)subscription.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "adapters/redis/client/reconnect_policy.h"
#include "adapters/redis/client/reply_reader.h"
#include "adapters/redis/client/session.h"
#include "base/timer.h"

namespace maejin::redis {

// Not thread-safe: belongs to the thread of its io_context.
class Subscriber : public std::enable_shared_from_this<Subscriber> {
 public:
  using Open = std::function<Task<OpenResult>()>;
  // `message` is null when the channel was subscribed, or subscribed again. Must not block.
  using Listener = std::function<void(const std::string* message)>;
  using Id = std::uint64_t;

  Subscriber(boost::asio::io_context& context, Open open, std::uint64_t seed);

  // Subscribes to the channel. The first call connects.
  void Add(Id id, const std::string& channel, Listener listener);
  void Remove(Id id);
  void Stop();

 private:
  struct Entry {
    std::string channel;
    Listener listener;
  };

  static Task<void> Run(std::shared_ptr<Subscriber> self);
  static Task<void> KeepAlive(std::shared_ptr<Subscriber> self, std::shared_ptr<Stream> stream);
  static Task<void> WriteOut(std::shared_ptr<Subscriber> self, std::shared_ptr<Stream> stream);
  Task<std::string> Listen(std::shared_ptr<Stream> stream);
  void Send(const Command& command);
  void Dispatch(const Reply& reply);
  void Notify(const std::string& channel, const std::string* message);

  boost::asio::io_context& context_;
  Open open_;
  ReconnectPolicy policy_;
  std::map<Id, Entry> entries_;
  std::multimap<std::string, Id> channels_;
  std::shared_ptr<Stream> stream_;
  std::string output_;
  SteadyTimer pause_;
  bool writing_ = false;
  bool started_ = false;
  bool stopped_ = false;
  bool received_ = false;  // since the last PING
};

}  // namespace maejin::redis
