// The client for Redis or Valkey.
//
// A call on a thread of the HTTP server uses that thread's own connection. Calls from other threads (command
// line, tickers, tests) run on the client's thread. Commands of many requests are pipelined on one
// connection.
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

// Thread-safe, except Attach().
class Client {
 public:
  // Connects in the background and never fails; connected() shows the result.
  explicit Client(Address address);
  // Precondition: no call is in flight, and Detach() was called if contexts were attached.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Gives the one thread that runs `context` a connection of its own, which ends with the context. Call
  // before that thread starts.
  void Attach(boost::asio::io_context& context);
  // Call before the attached contexts end: nothing is posted to them afterwards.
  void Detach();

  // Refuses: kUnavailable, kUnknown, kRefused (error.h).
  Task<CallResult> Call(Command command);
  Task<CallResult> Eval(const Script& script, ScriptArguments arguments);
  // Sends the command to every primary and returns their replies, in any order: SCRIPT LOAD, INFO.
  Task<Result<std::vector<Reply>, RedisError>> CallEveryPrimary(Command command);

  // Both send without waiting for the reply; errors are dropped.
  void Send(Command command);
  void SendEval(const Script& script, ScriptArguments arguments);
  // Runs the task on the client's own thread. The caller makes sure that the task ends before the client.
  void Spawn(Task<void> task);

  // The subscription ends with this object. The listener runs on the client's thread and must not block. It
  // may still be called after the object's end, for a message that had arrived before.
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

  // Call when the connected server is no longer the primary. Every link then closes its connection and looks
  // for the primary; in a cluster it reads the hash slots again.
  void FindPrimaryAgain();

  // The common time of the nodes (clock_offset.h); `node_now` before the first measurement. Redis's clock is
  // measured every two seconds.
  Time Corrected(Time node_now) { return clock_.Correct(node_now); }
  Millis clock_offset() const { return clock_.offset(); }

  const Address& address() const { return address_; }
  bool connected() const { return connected_.load(std::memory_order_relaxed); }
  // False while Redis refuses writes: no memory left, no disk, or a replica.
  bool writable() const { return writable_.load(std::memory_order_relaxed); }

 private:
  static Task<void> MeasureTime(Client* client, std::shared_ptr<Link> link);
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
      links_;  // of the attached contexts; constant while their threads run
  std::mutex detach_mutex_;
  bool detached_ = false;  // guarded by detach_mutex_
  std::shared_ptr<Subscriber> subscriber_;
  std::shared_ptr<Subscriber> sentinels_;
  std::thread thread_;
};

}  // namespace maejin::redis
