// Follows the event feed of a server, and resumes where it stopped.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "cli/common/http_client.h"
#include "cli/common/signals.h"
#include "cli/common/verb.h"
#include "domain/event.h"

namespace maejin::cli {

// A file with the id of the last handled event. Write() replaces the whole file, so that a crash leaves the
// old or the new id.
class EventCursor {
 public:
  explicit EventCursor(std::filesystem::path file) : file_(std::move(file)) {}

  std::int64_t Read() const;
  // Locks the cursor until this process ends, because only one process may use it. False: another process has
  // it, or the lock file cannot be opened.
  bool Lock() const;
  // False: the file cannot be written.
  bool Write(std::int64_t id) const;
  const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
};

// What the follower does after an event: continue, retry the event, or stop.
enum class Handled : std::uint8_t { kDone, kTryAgain, kStop };

class EventFollower {
 public:
  // Handles one event. The handler itself reports failures to the operator.
  using Handle = std::function<Handled(EventFollower&, const Event&)>;

  // The references outlive it. The verb has the flags `url` and `once`.
  EventFollower(const StopSignals& signals, const Invocation& invocation, EventCursor cursor,
                std::string types, Handle handle)
      : signals_(signals),
        invocation_(invocation),
        types_(std::move(types)),
        cursor_(std::move(cursor)),
        after_(cursor_.Read()),
        handle_(std::move(handle)) {}

  void StartAfter(std::int64_t id) { after_ = id; }
  // Follows the feed until a signal; with --once, until its end, or until no server runs on the data folder.
  // Returns the exit code.
  int Run();
  // Sends a GET request with the admin key. Call it only in the handler. The error is a sentence.
  Result<HttpAnswer, std::string> Ask(std::string target);

 private:
  std::string NoServer() const;
  // Returns the number of handled events. The error is a sentence; it is empty if it was already printed and
  // a retry is useless.
  Result<std::size_t, std::string> ReadPage();
  Result<std::size_t, std::string> HandlePage(const std::string& body);
  // Retries until the handler is done, because events are handled in order. False: the follower stops.
  bool HandleOne(const Event& event);

  const StopSignals& signals_;
  const Invocation& invocation_;
  const std::string types_;
  const EventCursor cursor_;
  std::int64_t after_;
  const Handle handle_;
  std::optional<HttpClient> client_;
  bool stopped_ = false;
};

struct Following {
  std::string types;
  std::string_view default_cursor;  // a file of the data folder
  EventFollower::Handle handle;
};
// Runs a verb with the flags `after`, `cursor`, `url` and `once`. Returns the exit code.
int Follow(const Invocation& invocation, Following following);

}  // namespace maejin::cli
