// Connections to the database on threads of their own. A job blocks a pool thread. The coroutine that
// requested the job does not block its own thread, and is resumed there with the outcome.
//
// A write is one transaction. The pool retries it a bounded number of times: after a deadlock, a lock wait or
// a changed row (the server rolled it back); after a lost connection before COMMIT was sent (the server rolls
// it back); and after the answer to COMMIT was lost, with Attempt::commit_unknown set. In that case the work
// looks up its effect by the id that it would have written, with a locking read. If the outcome is not known
// in time, the request is refused with kUnavailable and Retry-After: the effect may exist.
//
// Queues are bounded. A request is refused at once if the queue is full or no connection is open, and after
// PoolOptions::queue_timeout if no connection became free. Writes of one kind may share a transaction
// (shared_write.h). Thread-safe.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "adapters/mysql/connection.h"
#include "base/task.h"
#include "domain/refusal.h"

namespace maejin::mysql {

// The number of an attempt at a write, and what is known of the previous attempts.
struct Attempt {
  int number = 1;
  // The answer to the COMMIT of an earlier attempt was lost: that attempt may be committed.
  bool commit_unknown = false;
};

struct PoolCounts {
  std::uint64_t transactions = 0;
  std::uint64_t round_trips = 0;
  std::uint64_t conflicts = 0;        // attempts repeated after a deadlock, a lock timeout or a changed row
  std::uint64_t losses = 0;           // connections lost while they worked
  std::uint64_t unknown_commits = 0;  // commits whose answer was lost
  std::uint64_t refused = 0;          // requests refused with kUnavailable
  std::uint64_t shared = 0;           // writes decided in one transaction with others
};

class Pool {
 public:
  // Does not wait for the server: connections are made, and remade after a loss, in the background.
  Pool(ServerOptions server, PoolOptions options);
  // Finishes running jobs and refuses waiting ones.
  ~Pool();

  // At least one connection is open.
  bool Connected() const { return connected_.load(std::memory_order_acquire) > 0; }
  PoolCounts counts() const;
  int connections() const { return connected_.load(std::memory_order_relaxed); }
  std::size_t waiting() const;

  // `work(Connection&, const Attempt&)` returns an Outcome<T>; a value is committed, a refusal rolled back.
  // `work` may run more than once, on a pool thread. It owns the data that it uses, and keeps nothing from
  // one run to the next.
  template <class Work>
  auto Write(Work work) {
    return Submit<std::invoke_result_t<Work&, Connection&, const Attempt&>>(Access::kWrite, std::move(work));
  }
  // `work(Connection&)` only reads: each statement sees what is committed when it starts.
  template <class Work>
  auto Read(Work work) {
    return Submit<std::invoke_result_t<Work&, Connection&>>(
        Access::kRead, [work = std::move(work)](Connection& connection, const Attempt&) mutable {
          return work(connection);
        });
  }

  // Runs a write that no request waits for. `work` may run more than once. After a failure the pool calls
  // `lost`, or writes a log line if `lost` is empty. `lost` may run on any thread, and while the pool is
  // destroyed.
  void Send(std::function<void(Connection&)> work, std::function<void()> lost = {});

  // The maximum of jobs per batch. Each batch size has its own statements, which every connection must
  // prepare.
  static constexpr std::size_t kMostTogether = 16;

 private:
  template <class Request, class O>
  friend class SharedWrite;
  using Clock = std::chrono::steady_clock;

  struct BatchGroup;
  struct Worker {
    std::unique_ptr<Connection> connection;
    std::thread thread;
  };
  // One request. Either Run() is called once, on a pool thread, or Refuse() is called once, on any thread.
  struct Job {
    virtual ~Job() = default;
    virtual void Run(Pool& pool, Worker& worker) = 0;
    virtual void Refuse(Refused refused) = 0;
    Clock::time_point queued_at;
    std::shared_ptr<BatchGroup> group;  // jobs that may share a batch with this one; absent: none
  };
  using Jobs = std::vector<std::unique_ptr<Job>>;
  // Jobs of one kind that may share a batch. While a batch runs, later jobs of the group wait, so that the
  // next batch has several jobs.
  struct BatchGroup {
    virtual ~BatchGroup() = default;
    // Runs two or more jobs in one transaction. Returns the jobs without an answer; each of them then runs
    // alone.
    virtual Jobs RunBatch(Pool& pool, Worker& worker, Jobs jobs) = 0;
    int running = 0;  // guarded by Pool::mutex_
  };
  struct Submitted;

  enum class Access { kRead, kWrite };
  // Work in a transaction: true commits it, false rolls it back.
  using Body = std::function<bool(Connection&, const Attempt&)>;
  // The same coroutine for all work with one type of outcome, which compiles faster.
  template <class O>
  Task<O> Submit(Access access, std::function<O(Connection&, const Attempt&)> work);
  // Absent: the body has run.
  Task<std::optional<Refused>> SubmitBody(Access access, Body body);
  // Takes the job or refuses it.
  void Enqueue(std::unique_ptr<Job> job);
  // Runs the body in a transaction, and retries it. `attempt` is the first attempt. Returns the reason for a
  // refusal.
  std::optional<Refused> RunBody(Worker& worker, Access access, const Body& body, Attempt attempt = {});
  // Handles an error. Absent: retry.
  std::optional<Refused> AfterError(Worker& worker, const MysqlError& error, Attempt& attempt,
                                    Clock::time_point started);
  Refused Unavailable();

  void WorkerLoop(Worker& worker);
  bool Connect(Worker& worker);
  void Disconnect(Worker& worker);
  // Waits for one job, or several of one group; none: the pool is stopping.
  Jobs NextJobs();
  // The first runnable job of the queue. Precondition: mutex_ is held.
  std::deque<std::unique_ptr<Job>>::iterator FirstRunnable();
  Jobs TakeFrom(std::deque<std::unique_ptr<Job>>::iterator first);
  void RunJobs(Worker& worker, Jobs jobs);
  // Ends a batch of the group; the jobs in `alone` run next.
  void EndRun(BatchGroup& group, Jobs alone);
  void ReapLoop();
  void RefuseWaiting(std::deque<std::unique_ptr<Job>> jobs);

  const ServerOptions server_;
  const PoolOptions options_;

  mutable std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable stop_;
  std::deque<std::unique_ptr<Job>> queue_;  // guarded by mutex_
  bool stopping_ = false;                   // guarded by mutex_
  bool away_ = false;  // guarded by mutex_: no connection, and the last attempt to make one failed
  std::atomic<int> connected_{0};
  std::atomic<Clock::rep> read_only_until_{0};  // no write is tried before this time
  std::atomic<std::uint64_t> transactions_{0}, round_trips_{0}, conflicts_{0}, losses_{0},
      unknown_commits_{0}, refused_{0}, shared_{0};
  std::vector<std::unique_ptr<Worker>> workers_;
  std::thread reaper_;  // last: starts after all other members
};

template <class O>
Task<O> Pool::Submit(Access access, std::function<O(Connection&, const Attempt&)> work) {
  // Shared, because the task may be destroyed at the end of the program while `work` still runs.
  const auto outcome = std::make_shared<std::optional<O>>();
  Body body = [work = std::move(work), outcome](Connection& connection, const Attempt& attempt) {
    outcome->emplace(work(connection, attempt));
    return (*outcome)->ok();
  };
  const auto refused = co_await SubmitBody(access, std::move(body));
  if (refused) co_return *refused;
  co_return std::move(**outcome);
}

}  // namespace maejin::mysql
