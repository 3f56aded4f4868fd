#include "adapters/embedded/journal.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>

#include <sqlite3.h>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/log.h"

namespace maejin::embedded {
namespace {

constexpr auto kRetryEvery = std::chrono::milliseconds{100};
constexpr auto kGather = std::chrono::milliseconds{3};
constexpr Sql kAddEvents{"INSERT INTO events (first_id, last_id, written_at, body) VALUES (?, ?, ?, ?)"};

[[noreturn]] void Die(const std::string& why) {
  LogError("journal: {}; stopping at once, the next start recovers", why);
  std::fflush(nullptr);
  std::_Exit(70);
}

// True: a temporary error (full disk, read error) that may be retried.
bool IsTemporary(int extended_code) {
  if (extended_code == SQLITE_IOERR_FSYNC || extended_code == SQLITE_IOERR_DIR_FSYNC) return false;
  const int code = extended_code & 0xff;
  return code == SQLITE_FULL || code == SQLITE_IOERR || code == SQLITE_BUSY || code == SQLITE_READONLY ||
         code == SQLITE_CANTOPEN || code == SQLITE_NOMEM;
}

}  // namespace

template <class Handler>
struct Journal::WaiterOf final : Journal::Waiter {
  explicit WaiterOf(Handler&& resumed)
      : handler(std::move(resumed)), work(boost::asio::get_associated_executor(handler)) {}
  boost::asio::io_context& context() override { return work.get_executor().context(); }
  void Resume(bool committed) override {
    auto resumed = std::move(handler);
    delete this;
    std::move(resumed)(committed);
  }

  Handler handler;
  boost::asio::executor_work_guard<Executor> work;
};

Journal::Journal(Connection connection) : connection_(std::move(connection)) {
  auto newest = connection_.Prepare("SELECT last_id FROM events ORDER BY first_id DESC LIMIT 1");
  newest_event_ = newest.Step() ? newest.Int(0) : 0;
  next_event_ = newest_event_ + 1;
  // A restored server skips the ids that the lost server may have given out (restore.h).
  auto skipped = connection_.Prepare(
      "SELECT coalesce(max(value), 0) FROM booking_counters WHERE name = 'next_feed_event'");
  if (skipped.Step()) next_event_ = std::max(next_event_, skipped.Int(0));
  committer_ = std::thread([this] { CommitLoop(); });
}

Journal::~Journal() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_one();
  committer_.join();
  const std::lock_guard lock(mutex_);
  between_.clear();
}

Ticket Journal::Append(const WriteSet& rows, std::span<const BookingEvent> events,
                       std::span<const EventDraft> drafts, WriteTiming timing) {
  // Events are formatted before the lock is taken; only their ids are added under it.
  thread_local std::string tails;
  thread_local std::vector<std::size_t> ends;
  tails.clear();
  ends.clear();
  for (const auto& draft : drafts) {
    AppendEventTail(tails, draft);
    ends.push_back(tails.size());
  }
  std::chrono::steady_clock::time_point write_at{};
  if (timing == WriteTiming::kBatched) write_at = std::chrono::steady_clock::now() + kGather;
  const std::lock_guard lock(mutex_);
  const bool idle = pending_.rows.empty();
  if (idle && rows.empty()) return pending_ticket_ - 1;
  pending_.rows.Append(rows);
  pending_.events.insert(pending_.events.end(), events.begin(), events.end());
  if (!drafts.empty()) {
    if (pending_.feed.empty()) pending_.first_event = next_event_;
    pending_.fed_at = std::max(pending_.fed_at, drafts.back().at);
    std::size_t begin = 0;
    for (const auto end : ends) {
      AppendEventId(pending_.feed, next_event_++);
      pending_.feed.append(tails, begin, end - begin).append("\n");
      begin = end;
    }
    pending_.last_event = next_event_ - 1;
  }
  const bool sooner = idle || write_at < pending_.write_at;
  if (sooner) {
    pending_.write_at = write_at;
    work_.notify_one();
  }
  return pending_ticket_;
}

Ticket Journal::Newest() const {
  const std::lock_guard lock(mutex_);
  return pending_.rows.empty() ? pending_ticket_ - 1 : pending_ticket_;
}

Task<Outcome<Done>> Journal::Committed(Ticket ticket) {
  if (IsCommitted(ticket)) co_return Done{};
  const auto start = [this, ticket](auto&& handler) {
    using Handler = std::decay_t<decltype(handler)>;
    auto* waiter = new WaiterOf<Handler>(std::forward<decltype(handler)>(handler));
    if (Enlist(ticket, waiter)) return;
    boost::asio::post(waiter->context(), [waiter] { waiter->Resume(true); });
  };
  const auto& token = boost::asio::use_awaitable_t<Executor>{};
  const bool committed =
      co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<Executor>, void(bool)>(start,
                                                                                                     token);
  if (!committed) co_return Refusal::kUnavailable;
  co_return Done{};
}

bool Journal::Enlist(Ticket ticket, Waiter* waiter) {
  const std::lock_guard lock(mutex_);
  if (IsCommitted(ticket)) return false;
  auto& group = ticket == pending_ticket_ ? pending_ : writing_;
  group.waiters.push_back(waiter);
  return true;
}

void Journal::Flush() {
  std::unique_lock lock(mutex_);
  const auto newest = pending_.rows.empty() ? pending_ticket_ - 1 : pending_ticket_;
  done_.wait(lock, [&] { return IsCommitted(newest); });
}

bool Journal::BetweenCommits(std::function<void()> work) {
  std::packaged_task<void()> task(std::move(work));
  auto ran = task.get_future();
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return false;
    between_.push_back(std::move(task));
  }
  work_.notify_one();
  try {
    ran.get();
    return true;
  } catch (const std::future_error&) {
    return false;
  }
}

void Journal::RunBetween(std::unique_lock<std::mutex>& lock) {
  auto tasks = std::exchange(between_, {});
  lock.unlock();
  for (auto& task : tasks) task();
  lock.lock();
}

void Journal::CommitLoop() {
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [&] { return stopping_ || !pending_.rows.empty() || !between_.empty(); });
    if (!between_.empty()) RunBetween(lock);
    if (pending_.rows.empty()) {
      if (stopping_) return;
      continue;
    }
    work_.wait_until(lock, pending_.write_at, [&] {
      return stopping_ || !between_.empty() || pending_.write_at <= std::chrono::steady_clock::now();
    });
    std::swap(pending_, writing_);
    const auto ticket = pending_ticket_++;
    lock.unlock();
    while (!WriteGroup(writing_)) {
      accepting_ = false;
      lock.lock();
      Release(writing_.waiters, false);
      RunBetween(lock);  // safe here: no row of the failed group is on disk or acknowledged
      if (work_.wait_for(lock, kRetryEvery, [&] { return stopping_; })) return;
      lock.unlock();
    }
    accepting_ = true;
    if (!writing_.feed.empty()) newest_event_.store(writing_.last_event, std::memory_order_release);
    if (listener_ && !writing_.events.empty()) listener_(writing_.events);
    lock.lock();
    committed_.store(ticket, std::memory_order_release);
    Release(writing_.waiters, true);
    writing_.rows.Clear();
    writing_.events.clear();
    writing_.feed.clear();
    writing_.fed_at = Time{};
    done_.notify_all();
  }
}

bool Journal::WriteGroup(const Group& group) {
  if (connection_.TryExecute("BEGIN IMMEDIATE") == SQLITE_OK && WriteRows(group) && WriteFeed(group) &&
      connection_.TryExecute("COMMIT") == SQLITE_OK) {
    return true;
  }
  const int code = sqlite3_extended_errcode(connection_.raw());
  const auto reason = connection_.LastError();
  if (!IsTemporary(code)) Die("cannot write: " + reason);
  if (Accepting()) LogError("journal: cannot write ({}); refusing writes until it can", reason);
  connection_.TryExecute("ROLLBACK");
  // A checkpoint moves the log's pages into the database and frees the log's disk space.
  if ((code & 0xff) == SQLITE_FULL) connection_.TryExecute("PRAGMA wal_checkpoint(TRUNCATE)");
  return false;
}

bool Journal::WriteRows(const Group& group) {
  WriteReader reader(group.rows.bytes());
  while (const Sql* sql = reader.Next()) {
    auto& statement = Prepared(*sql);
    reader.Bind(statement);
    if (statement.Run() != SQLITE_OK) return false;
  }
  return true;
}

bool Journal::WriteFeed(const Group& group) {
  if (group.feed.empty()) return true;
  auto& statement = Prepared(kAddEvents);
  statement.Bind(1, group.first_event).Bind(2, group.last_event).Bind(3, ToMillis(group.fed_at));
  statement.Bind(4, group.feed);
  return statement.Run() == SQLITE_OK;
}

Statement& Journal::Prepared(const Sql& sql) {
  auto found = statements_.find(&sql);
  if (found == statements_.end())
    found = statements_.emplace(&sql, Statement(connection_.raw(), sql.text)).first;
  return found->second;
}

// One post per thread, not per request: waking a thread costs more than resuming a coroutine.
void Journal::Release(std::vector<Waiter*>& waiters, bool committed) {
  std::map<boost::asio::io_context*, Waiter*> by_context;
  for (auto it = waiters.rbegin(); it != waiters.rend(); ++it) {
    auto& head = by_context[&(*it)->context()];
    (*it)->next = head;
    head = *it;
  }
  waiters.clear();
  for (const auto& [context, first] : by_context) {
    boost::asio::post(*context, [list = first, committed] {
      for (Waiter* waiter = list; waiter;) {
        Waiter* next = waiter->next;
        waiter->Resume(committed);
        waiter = next;
      }
    });
  }
}

}  // namespace maejin::embedded
