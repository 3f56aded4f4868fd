// Delivers the journal's events to boards in another store: in order, and repeatedly until acknowledged.
// Undelivered events are only in memory, so at the start the boards first catch up with the database.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "domain/booking/booking_event.h"

namespace maejin::embedded {

// Thread-safe.
class EventRelay {
 public:
  // Applies events to the boards. Blocks. False: failed, deliver them again.
  using Apply = std::function<bool(std::vector<BookingEvent>)>;

  // Brings the boards to the state of the database. Blocks. False: failed, try again.
  using CatchUp = std::function<bool()>;

  explicit EventRelay(Apply apply, CatchUp catch_up = {});
  ~EventRelay() { Stop(); }
  EventRelay(const EventRelay&) = delete;
  EventRelay& operator=(const EventRelay&) = delete;

  // Queues events for delivery. Called by the journal's listener; never blocks.
  void Deliver(std::span<const BookingEvent> events);

  // Stops. Undelivered events are recovered by CatchUp at the next start. A repeated call has no effect.
  void Stop();

  struct Backlog {
    std::uint64_t delivered = 0;     // events delivered since the start
    std::vector<std::uint64_t> ids;  // ids of events that are not acknowledged yet
  };
  Backlog backlog() const;

 private:
  void Run();
  // Waits before a retry. False: Stop() was called.
  bool Pause(std::unique_lock<std::mutex>& lock);

  const Apply apply_;
  const CatchUp catch_up_;
  mutable std::mutex mutex_;
  std::condition_variable work_;
  std::deque<BookingEvent> waiting_;  // guarded by mutex_; its first elements are being applied
  std::uint64_t delivered_ = 0;       // guarded by mutex_
  bool stopping_ = false;             // guarded by mutex_
  std::thread thread_;                // last: starts after all other members
};

}  // namespace maejin::embedded
