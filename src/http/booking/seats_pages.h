// Rendered seat maps, one text for each version, shared by all readers.
//
// A slow reader keeps its version in memory, and a map of 100,000 seats is 7 MB. Without a bound, readers
// that stall keep one version each. So few versions of a map live at once: while readers hold older versions,
// the next version is rendered less often, and new readers share the newest one. When too many versions live,
// the oldest is withdrawn, and the server drops its readers. All maps together have a budget of bytes.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "http/coding.h"
#include "server/shared_text.h"
#include "usecase/read_concerts.h"

namespace maejin::http {

// kSnapshot: the compact form as one frame of an event stream.
enum class SeatsForm : std::uint8_t { kFull, kCompact, kSnapshot };
inline constexpr std::size_t kSeatsForms = 3;

struct SeatsPage {
  std::uint64_t version = 0;
  std::string body;
  std::chrono::steady_clock::time_point made;
  std::atomic<bool> withdrawn{false};
  std::size_t counted = 0;  // bytes of the body in SeatsPageTexts::bytes()
  // Compressed at the first request for a coding.
  mutable std::mutex coding_mutex;
  mutable std::array<std::string, kCodings> coded;  // guarded by coding_mutex; constant once they are filled

  // The body for a response, without a copy; keeps the page alive.
  static SharedText Share(const std::shared_ptr<const SeatsPage>& page) {
    return {std::shared_ptr<const std::string>(page, &page->body), &page->withdrawn};
  }
  std::size_t coded_bytes() const;
};

// Counts the bytes of all living pages, and keeps a few texts of pages without readers for new pages: fresh
// memory costs more than rendering. Thread-safe.
class SeatsPageTexts {
 public:
  SeatsPageTexts() { texts_.reserve(kKept); }

  // An empty text with a capacity of at least `size` bytes, or a new text if none is kept.
  std::string Take(std::size_t size);
  // Takes back the text of a page that has no readers any more, and subtracts the page's `counted` bytes. The
  // text may be kept for a new page.
  void GiveBack(std::string text, std::size_t counted);
  void Count(std::size_t bytes) { bytes_.fetch_add(bytes); }
  void Uncount(std::size_t bytes) { bytes_.fetch_sub(bytes); }
  // Frees the kept texts.
  void Clear();
  // Bytes of living pages and of kept texts.
  std::size_t bytes() const { return bytes_.load(); }

 private:
  static constexpr std::size_t kKept = 2;
  std::atomic<std::size_t> bytes_{0};
  std::mutex mutex_;
  std::vector<std::string> texts_;  // guarded by mutex_
};

struct SeatsPagesOptions {
  // The limit of the bytes of all living pages. Each form of a map may use half of it, and always three
  // versions.
  std::size_t bytes = 128 << 20;
  // While readers hold many older versions of a map, a new version is rendered at most once in this time.
  std::chrono::milliseconds longest_pause{4'000};
  // While the limit of bytes is reached, a version is not withdrawn before it has this age.
  std::chrono::milliseconds least_life{10'000};
};

// Thread-safe.
class SeatsPages {
 public:
  explicit SeatsPages(const ReadSeats& read, SeatsPagesOptions options = {})
      : read_(read), options_(options) {}

  // The page is as new as the schedule was when the call began, with two exceptions. While readers hold
  // several older versions, it may be about `longest_pause` older. While the budget is used up, it is the
  // last page that was rendered. The page has its version. Refuses: kScheduleNotFound, kUnavailable (the
  // budget is used up).
  Outcome<std::shared_ptr<const SeatsPage>> Get(ScheduleId schedule, SeatsForm form);

  // The body in a coding. Precondition: not kIdentity. Readers of the same page wait for one compression.
  SharedText GetCoded(const std::shared_ptr<const SeatsPage>& page, Coding coding);

  // Bytes of all living pages.
  std::size_t bytes() const { return page_texts_->bytes(); }
  std::uint64_t withdrawn() const { return withdrawn_.load(); }

 private:
  using TimePoint = std::chrono::steady_clock::time_point;
  // One form of one schedule.
  struct Versions {
    std::mutex mutex;  // held while a page is rendered: other readers wait for it instead of rendering it too
    std::shared_ptr<SeatsPage> newest;                 // guarded by mutex, as all here
    std::vector<std::weak_ptr<SeatsPage>> being_read;  // older versions, oldest first
    std::size_t last_size = 0;
    TimePoint last_used;
  };
  struct FormsOfSchedule {
    std::array<Versions, kSeatsForms> forms;
  };

  Versions& VersionsOf(ScheduleId schedule, SeatsForm form);
  // Whether the newest page answers although a newer version could be rendered.
  bool KeepsNewest(Versions& versions, TimePoint now);
  // Frees versions without readers, then withdraws old versions of other maps. False: the budget is still
  // used up.
  bool FreeBytes(const Versions& asking, TimePoint now);
  void Withdraw(SeatsPage& page);
  Outcome<std::shared_ptr<const SeatsPage>> Render(Versions& versions, ScheduleId schedule, SeatsForm form);

  const ReadSeats& read_;
  const SeatsPagesOptions options_;
  const std::shared_ptr<SeatsPageTexts> page_texts_ = std::make_shared<SeatsPageTexts>();
  std::atomic<std::uint64_t> withdrawn_{0};
  std::mutex mutex_;
  std::unordered_map<ScheduleId, std::unique_ptr<FormsOfSchedule>> schedules_;  // guarded by mutex_
};

}  // namespace maejin::http
