// The journal writes decisions, which are made in memory, to SQLite.
//
// A transition decides under its aggregate's lock and appends its changed rows under the same lock. One
// committer thread writes all appended rows in one transaction, waits for the disk, and then releases the
// answers. The more requests wait, the more requests share one fsync.
//
// If the disk refuses (full, I/O error), the rows are kept and retried. Answers that wait for them become
// kUnavailable (outcome unknown), and Accepting() is false until a retry succeeds. A failed fsync ends the
// process, because it is unknown which rows are on disk.
//
// Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <future>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "adapters/embedded/sqlite.h"
#include "adapters/embedded/write_set.h"
#include "base/task.h"
#include "domain/booking/booking_event.h"
#include "domain/event.h"
#include "domain/refusal.h"

namespace maejin::embedded {

// The number of the commit that contains a write set; increases by one with every commit.
using Ticket = std::uint64_t;

class Journal {
 public:
  // Receives the events of one commit, in the order of their decisions. Runs on the committer thread, after
  // the commit and before its answers leave.
  using Listener = std::function<void(std::span<const BookingEvent>)>;

  // Takes over the connection; its schema is up to date.
  explicit Journal(Connection connection);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Call before the first Append.
  void Listen(Listener listener) { listener_ = std::move(listener); }

  // False while the disk refuses writes. A transition calls this before it decides; if false, it refuses with
  // kUnavailable.
  bool Accepting() const { return accepting_.load(std::memory_order_acquire); }

  // Appends the rows and events of one transition; all of them share one commit. Does not wait for the disk.
  // Call under the lock that decided, so that rows of one aggregate are written in the order of decisions.
  // Without rows: returns the newest ticket. kBatched: an idle committer waits briefly for rows of other
  // threads.
  enum class WriteTiming : std::uint8_t { kAtOnce, kBatched };
  Ticket Append(const WriteSet& rows, std::span<const BookingEvent> events = {},
                WriteTiming timing = WriteTiming::kAtOnce) {
    return Append(rows, events, {}, timing);
  }
  // As above, with events for the feed. They get the next ids here, so the order of ids is the order of
  // commits.
  Ticket Append(const WriteSet& rows, std::span<const BookingEvent> events,
                std::span<const EventDraft> drafts, WriteTiming timing = WriteTiming::kAtOnce);
  // The newest event on disk.
  std::int64_t NewestEvent() const { return newest_event_.load(std::memory_order_acquire); }

  // Returns when the rows of `ticket` are on disk. Refuses: kUnavailable.
  Task<Outcome<Done>> Committed(Ticket ticket);
  bool IsCommitted(Ticket ticket) const { return ticket <= committed_.load(std::memory_order_acquire); }

  // The newest ticket: when it is committed, every decision so far is on disk.
  Ticket Newest() const;

  // Runs `work` on the committer thread between two commits, when the listener has received every event on
  // disk. Waits until `work` has run, and rethrows its exception. Commits wait for `work`, so it must be
  // short. False: the journal is ending, and `work` did not run. Not for request threads.
  bool BetweenCommits(std::function<void()> work);

  // Blocks the calling thread until everything appended so far is on disk. Only for rare work, such as the
  // start and the end of the program, corrections of rankings, and tests.
  void Flush();

 private:
  struct Waiter {
    Waiter* next = nullptr;
    virtual ~Waiter() = default;
    virtual boost::asio::io_context& context() = 0;
    // Resumes the request, on its own thread, and frees the waiter.
    virtual void Resume(bool committed) = 0;
  };
  template <class Handler>
  struct WaiterOf;
  struct Group {
    WriteSet rows;
    std::vector<BookingEvent> events;
    std::string feed;              // one text line for each event of the feed
    std::int64_t first_event = 0;  // the id of the first event in `feed`
    std::int64_t last_event = 0;
    Time fed_at{};
    std::vector<Waiter*> waiters;
    std::chrono::steady_clock::time_point write_at;
  };

  // Returns false if the ticket is committed already (the waiter was not taken).
  bool Enlist(Ticket ticket, Waiter* waiter);
  void CommitLoop();
  void RunBetween(std::unique_lock<std::mutex>& lock);
  bool WriteGroup(const Group& group);
  bool WriteRows(const Group& group);
  bool WriteFeed(const Group& group);
  Statement& Prepared(const Sql& sql);
  static void Release(std::vector<Waiter*>& waiters, bool committed);

  Connection connection_;
  Listener listener_;
  std::unordered_map<const Sql*, Statement> statements_;  // committer thread only

  mutable std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable done_;
  Group pending_;              // guarded by mutex_: appended, not yet taken by the committer
  Group writing_;              // committer thread; its waiters are guarded by mutex_
  Ticket pending_ticket_ = 1;  // guarded by mutex_: the group that Append() fills
  std::int64_t next_event_;    // guarded by mutex_
  std::atomic<std::int64_t> newest_event_;
  std::vector<std::packaged_task<void()>> between_;  // guarded by mutex_
  bool stopping_ = false;                            // guarded by mutex_
  std::atomic<Ticket> committed_{0};
  std::atomic<bool> accepting_{true};
  std::thread committer_;  // last: starts after all other members
};

}  // namespace maejin::embedded
