// Hands the journal's events on to boards that lie elsewhere: in order, and again until they were taken. What
// waits here is in memory only, so at the start the boards catch up with the database first.
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
  // Blocks until they were taken; false: they come again.
  using Apply = std::function<bool(std::vector<BookingEvent>)>;

  // Blocks until the boards have what the database has; false: it is tried again.
  using CatchUp = std::function<bool()>;

  explicit EventRelay(Apply apply, CatchUp catch_up = {});
  ~EventRelay() { Stop(); }
  EventRelay(const EventRelay&) = delete;
  EventRelay& operator=(const EventRelay&) = delete;

  // For the journal's listener: never blocks.
  void Deliver(std::span<const BookingEvent> events);

  // What was not taken by then is left to the next start. Again: nothing.
  void Stop();

  struct Backlog {
    std::uint64_t delivered = 0;     // so many events came in all
    std::vector<std::uint64_t> ids;  // of those that are not known to be taken
  };
  Backlog backlog() const;

 private:
  void Run();
  // False: it is time to stop.
  bool Pause(std::unique_lock<std::mutex>& lock);

  const Apply apply_;
  const CatchUp catch_up_;
  mutable std::mutex mutex_;
  std::condition_variable work_;
  std::deque<BookingEvent> waiting_;  // guarded by mutex_; those being applied are its first
  std::uint64_t delivered_ = 0;       // guarded by mutex_
  bool stopping_ = false;             // guarded by mutex_
  std::thread thread_;                // last
};

}  // namespace maejin::embedded
