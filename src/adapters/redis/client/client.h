// The program's way to Redis or Valkey.
//
// Calls made on a thread of the HTTP server go over that thread's own connection, without a hop; calls from
// anywhere else (command line, tickers, tests) over the client's own thread. Commands of many requests share
// a connection and travel together. Thread-safe, but for Attach.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

#include <boost/asio/executor_work_guard.hpp>

#include "adapters/redis/client/clock_offset.h"
#include "adapters/redis/client/link.h"
#include "adapters/redis/client/subscriber.h"

namespace maejin::redis {

class Client {
 public:
  // Begins to connect; never fails, see CheckConnection.
  explicit Client(Address address);
  // Nobody waits for an answer any more; Detach() was called where contexts were attached.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Gives the one thread that runs `context` a connection of its own. Before that thread starts; the
  // connection ends with the context.
  void Attach(boost::asio::io_context& context);
  // The attached contexts are about to end.
  void Detach();

  // Refuses: kUnavailable, kUnknown, kRefused (error.h).
  Task<CallResult> Call(Command command);
  Task<CallResult> Eval(const Script& script, ScriptArguments arguments);
  // The answer of every primary, in any order: SCRIPT LOAD, INFO.
  Task<Result<std::vector<Reply>, RedisError>> CallEveryPrimary(Command command);

  // Sends and forgets: for what others may read but nobody waits for.
  void Send(Command command);
  void SendEval(const Script& script, ScriptArguments arguments);
  // Runs the task on the client's own thread. It ends before the client does.
  void Spawn(Task<void> task);

  // A subscription ends with this object. The listener runs on the client's thread and must not block; it may
  // still be called once while the subscription ends.
  class Subscription {
   public:
    Subscription() = default;
    Subscription(std::shared_ptr<Subscriber> subscriber, boost::asio::io_context* context, Subscriber::Id id)
        : subscriber_(std::move(subscriber)), context_(context), id_(id) {}
    Subscription(Subscription&& other) noexcept;
    Subscription& operator=(Subscription&& other) noexcept;
    ~Subscription();

   private:
    std::shared_ptr<Subscriber> subscriber_;
    boost::asio::io_context* context_ = nullptr;
    Subscriber::Id id_ = 0;
  };
  Subscription Subscribe(std::string channel, Subscriber::Listener listener);

  // The server in use is not the right one any more: every connection is left, and the primary asked for anew.
  void FindPrimaryAgain();

  // The node's time as Redis would say it; see clock_offset.h. Learnt at the start and every few seconds.
  Time Corrected(Time node_now) { return clock_.Correct(node_now); }
  Millis clock_offset() const { return clock_.offset(); }

  const Address& address() const { return address_; }
  bool connected() const { return connected_.load(std::memory_order_relaxed); }
  // False while Redis refuses writes: no memory left, no disk, or a replica.
  bool writable() const { return writable_.load(std::memory_order_relaxed); }

 private:
  static Task<void> LearnTime(Client* client, std::shared_ptr<Link> link);
  static Task<void> CheckPrimary(Client* client, std::shared_ptr<Link> link);
  static Task<void> CheckWrites(Client* client, std::shared_ptr<Link> link);
  std::shared_ptr<Link> LinkOf(boost::asio::io_context& context);
  std::pair<Executor, std::shared_ptr<Link>> LinkHere();
  void FollowSentinels();

  Address address_;
  ClockOffset clock_;
  std::atomic<bool> connected_{false};
  std::atomic<bool> writable_{true};
  std::atomic<bool> stopping_{false};
  std::atomic<Subscriber::Id> next_subscription_{1};
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<Executor> work_;
  std::shared_ptr<Link> own_;
  std::unordered_map<boost::asio::io_context*, std::weak_ptr<Link>>
      links_;  // attached; constant once serving
  std::mutex detach_mutex_;
  bool detached_ = false;  // guarded by detach_mutex_
  std::shared_ptr<Subscriber> subscriber_;
  std::shared_ptr<Subscriber> sentinels_;
  std::thread thread_;
};

}  // namespace maejin::redis
