#include "adapters/mysql/pool.h"

#include <algorithm>
#include <random>

#include "base/log.h"
#include "base/suspend.h"

namespace maejin::mysql {
namespace {

constexpr int kMaxConflicts = 40;
constexpr int kMaxLosses = 3;
// After this time a request is refused with Retry-After. The time is longer than one lock wait and shorter
// than a client's timeout.
constexpr auto kMaxWork = Seconds{8};
// A read-only server is retried at this interval, on a new connection: another server may have become the
// primary.
constexpr auto kReadOnlyPause = Millis{500};
constexpr auto kReapEvery = Millis{50};
constexpr auto kFirstReconnect = Millis{20};
constexpr auto kSlowestReconnect = Millis{500};
// The maximum of batches of one group that run at the same time. Jobs that arrive meanwhile form the next
// batch, so a busier database gets fewer statements.
constexpr int kRunsAtOnce = 1;
// A job that waited this long starts although a batch of its group is running: that batch may be waiting for
// a lock.
constexpr auto kLongestWait = Millis{500};

// A random time between half of `time` and `time`: nodes that failed together must not reconnect together.
Millis Jittered(Millis time) {
  thread_local std::minstd_rand chance{std::random_device{}()};
  return time / 2 + Millis{std::uniform_int_distribution<std::int64_t>{0, time.count() / 2}(chance)};
}

Millis BackOff(int tries) { return std::min(Millis{1} * (1 << std::min(tries, 6)), Millis{40}); }

}  // namespace

struct Pool::Submitted final : Pool::Job {
  using Answer = std::function<void(std::optional<Refused>)>;
  Submitted(Access how, Body what, Answer then)
      : access(how), body(std::move(what)), answer(std::move(then)) {}
  void Run(Pool& pool, Worker& worker) override { answer(pool.RunBody(worker, access, body)); }
  void Refuse(Refused refused) override { answer(std::move(refused)); }

  const Access access;
  const Body body;
  const Answer answer;
};

Task<std::optional<Refused>> Pool::SubmitBody(Access access, Body body) {
  const auto answer = std::make_shared<std::optional<Refused>>();
  const auto start = [&](Resume resume) {
    const auto then = [answer, resume = std::move(resume)](std::optional<Refused> refused) {
      *answer = std::move(refused);
      resume();
    };
    Enqueue(std::make_unique<Submitted>(access, std::move(body), then));
  };
  co_await Suspend(start);
  co_return std::move(*answer);
}

void Pool::Send(std::function<void(Connection&)> work, std::function<void()> lost) {
  const auto body = [work = std::move(work)](Connection& connection, const Attempt&) {
    work(connection);
    return true;
  };
  const auto then = [lost = std::move(lost)](const std::optional<Refused>& refused) {
    if (!refused) return;
    if (lost) return lost();
    LogWarning("database: a background write failed");
  };
  Enqueue(std::make_unique<Submitted>(Access::kWrite, body, then));
}

Pool::Pool(ServerOptions server, PoolOptions options) : server_(std::move(server)), options_(options) {
  for (std::size_t i = 0; i < options_.connections; ++i) {
    auto& worker = workers_.emplace_back(std::make_unique<Worker>());
    worker->thread = std::thread([this, mine = worker.get()] { WorkerLoop(*mine); });
  }
  reaper_ = std::thread([this] { ReapLoop(); });
}

Pool::~Pool() {
  std::deque<std::unique_ptr<Job>> waiting;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    waiting.swap(queue_);
  }
  work_.notify_all();
  stop_.notify_all();
  RefuseWaiting(std::move(waiting));
  for (auto& worker : workers_) worker->thread.join();
  reaper_.join();
}

PoolCounts Pool::counts() const {
  return {transactions_, round_trips_, conflicts_, losses_, unknown_commits_, refused_, shared_};
}

std::size_t Pool::waiting() const {
  const std::lock_guard lock(mutex_);
  return queue_.size();
}

Refused Pool::Unavailable() {
  ++refused_;
  return Refusal::kUnavailable;
}

void Pool::Enqueue(std::unique_ptr<Job> job) {
  std::unique_lock lock(mutex_);
  if (stopping_ || away_ || queue_.size() >= options_.queue) {
    lock.unlock();
    return job->Refuse(Unavailable());
  }
  job->queued_at = Clock::now();
  // If a batch of its group is running, the worker of that batch takes the job afterwards.
  const bool runnable = !job->group || job->group->running < kRunsAtOnce;
  queue_.push_back(std::move(job));
  lock.unlock();
  if (runnable) work_.notify_one();
}

std::deque<std::unique_ptr<Pool::Job>>::iterator Pool::FirstRunnable() {
  const auto waiting_since = Clock::now() - kLongestWait;
  return std::find_if(queue_.begin(), queue_.end(), [&](const auto& job) {
    return !job->group || job->group->running < kRunsAtOnce || job->queued_at < waiting_since;
  });
}

Pool::Jobs Pool::TakeFrom(std::deque<std::unique_ptr<Job>>::iterator first) {
  const auto group = (*first)->group;
  const auto is_of_it = [&](const auto& job) { return job->group == group; };
  std::size_t count = 1;
  if (group) {
    ++group->running;
    const auto waiting = static_cast<std::size_t>(std::count_if(first, queue_.end(), is_of_it));
    count = std::min(waiting, kMostTogether);
  }
  Jobs taken;
  auto keep = first;
  for (auto it = first; it != queue_.end(); ++it) {
    if (taken.size() < count && is_of_it(*it)) {
      taken.push_back(std::move(*it));
    } else {
      std::swap(*keep++, *it);
    }
  }
  queue_.erase(keep, queue_.end());
  return taken;
}

Pool::Jobs Pool::NextJobs() {
  std::unique_lock lock(mutex_);
  auto first = queue_.end();
  work_.wait(lock, [&] {
    first = FirstRunnable();
    return stopping_ || first != queue_.end();
  });
  if (first == queue_.end()) return {};
  auto jobs = TakeFrom(first);
  if (FirstRunnable() != queue_.end()) work_.notify_one();
  return jobs;
}

void Pool::RunJobs(Worker& worker, Jobs jobs) {
  // Keeps the group alive: the owner of the jobs may be destroyed once they are answered.
  const auto group = jobs.front()->group;
  Jobs alone;
  if (jobs.size() > 1) {
    alone = group->RunBatch(*this, worker, std::move(jobs));
  } else {
    jobs.front()->Run(*this, worker);
  }
  if (group) EndRun(*group, std::move(alone));
}

void Pool::EndRun(BatchGroup& group, Jobs alone) {
  std::deque<std::unique_ptr<Job>> late;
  {
    const std::lock_guard lock(mutex_);
    --group.running;
    for (auto job = alone.rbegin(); job != alone.rend(); ++job) {
      (*job)->group.reset();
      (stopping_ ? late : queue_).push_front(std::move(*job));
    }
  }
  RefuseWaiting(std::move(late));
}

void Pool::WorkerLoop(Worker& worker) {
  auto delay = kFirstReconnect;
  for (;;) {
    if (!worker.connection && !Connect(worker)) {
      std::unique_lock lock(mutex_);
      if (stop_.wait_for(lock, Jittered(delay), [&] { return stopping_; })) return;
      delay = std::min(delay * 2, kSlowestReconnect);
      continue;
    }
    delay = kFirstReconnect;
    auto jobs = NextJobs();
    if (jobs.empty()) {
      Disconnect(worker);
      return;  // stopping
    }
    RunJobs(worker, std::move(jobs));
  }
}

bool Pool::Connect(Worker& worker) {
  std::string problem;
  try {
    auto connection = std::make_unique<Connection>(server_, &round_trips_);
    // The first statement of a job begins its transaction: one round trip less for every write.
    connection->Command("SET SESSION autocommit = 0");
    worker.connection = std::move(connection);
  } catch (const MysqlError& error) {
    problem = error.what();
  }
  const std::lock_guard lock(mutex_);
  if (worker.connection) {
    ++connected_;
    if (std::exchange(away_, false)) LogInfo("database: connected to {}", Redacted(server_));
  } else if (!Connected()) {
    if (!away_) LogWarning("database: {}", problem);
    away_ = true;
  }
  return worker.connection != nullptr;
}

void Pool::Disconnect(Worker& worker) {
  if (!worker.connection) return;
  worker.connection.reset();
  --connected_;
}

std::optional<Refused> Pool::RunBody(Worker& worker, Access access, const Body& body, Attempt attempt) {
  const bool writes = access == Access::kWrite;
  const auto started = Clock::now();
  if (writes && started.time_since_epoch().count() < read_only_until_) return Unavailable();
  for (;; ++attempt.number) {
    bool commit_sent = false;
    try {
      if (!worker.connection && !Connect(worker)) return Unavailable();
      auto& connection = *worker.connection;
      const bool wanted = body(connection, attempt);
      commit_sent = writes && wanted;
      connection.Command(wanted ? "COMMIT" : "ROLLBACK");
      if (writes) ++transactions_;
      return std::nullopt;
    } catch (const MysqlError& error) {
      if (commit_sent && error.IsLost()) {
        attempt.commit_unknown = true;
        ++unknown_commits_;
      }
      if (auto refused = AfterError(worker, error, attempt, started)) return refused;
    }
  }
}

std::optional<Refused> Pool::AfterError(Worker& worker, const MysqlError& error, Attempt& attempt,
                                        Clock::time_point started) {
  const bool too_long = Clock::now() - started > kMaxWork;
  if (error.IsConflict()) {
    ++conflicts_;
    try {
      worker.connection->Command("ROLLBACK");
    } catch (const MysqlError&) {
      Disconnect(worker);
    }
    if (too_long || attempt.number >= kMaxConflicts) return Unavailable();
    std::this_thread::sleep_for(Jittered(BackOff(attempt.number)));
    return std::nullopt;
  }
  // After any other error the connection is closed, so that no transaction stays open.
  Disconnect(worker);
  if (error.IsLost()) {
    ++losses_;
    if (too_long || attempt.number > kMaxLosses) return Unavailable();
    return std::nullopt;
  }
  if (error.IsReadOnly()) {
    const auto until = Clock::now() + kReadOnlyPause;
    read_only_until_ = until.time_since_epoch().count();
  }
  LogError("database: {}", error.what());
  return Unavailable();
}

// Refuses jobs that waited too long, even while every connection hangs.
void Pool::ReapLoop() {
  std::unique_lock lock(mutex_);
  while (!stop_.wait_for(lock, kReapEvery, [&] { return stopping_; })) {
    std::deque<std::unique_ptr<Job>> late;
    const auto oldest = Clock::now() - options_.queue_timeout;
    while (!queue_.empty() && (away_ || queue_.front()->queued_at < oldest)) {
      late.push_back(std::move(queue_.front()));
      queue_.pop_front();
    }
    lock.unlock();
    RefuseWaiting(std::move(late));
    lock.lock();
    if (FirstRunnable() != queue_.end()) work_.notify_one();
  }
}

void Pool::RefuseWaiting(std::deque<std::unique_ptr<Job>> jobs) {
  for (auto& job : jobs) job->Refuse(Unavailable());
}

}  // namespace maejin::mysql
