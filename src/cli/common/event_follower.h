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

// The id of the last handled event, in a file of its own: replaced as a whole, so that a crash leaves the old
// or the new id.
class EventCursor {
 public:
  explicit EventCursor(std::filesystem::path file) : file_(std::move(file)) {}

  std::int64_t Read() const;
  // One process at a time uses a cursor. Until the process ends. False: another one has it.
  bool Lock() const;
  // False: the file cannot be written.
  bool Write(std::int64_t id) const;
  const std::filesystem::path& file() const { return file_; }

 private:
  std::filesystem::path file_;
};

// Whether to go on after an event.
enum class Handled : std::uint8_t { kDone, kTryAgain, kStop };

class EventFollower {
 public:
  // Tells a failure to the operator, if it is worth telling.
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
  // Until a signal, or with --once until the end of the feed. Returns the exit code.
  int Run();
  // Asks the server, with the admin key. Only inside of the handler. The error is a sentence.
  Result<HttpAnswer, std::string> Ask(std::string target);

 private:
  // The number of events handled. The error is a sentence, or empty if there is no use in trying again.
  Result<std::size_t, std::string> ReadPage();
  Result<std::size_t, std::string> HandlePage(const std::string& body);
  // Again and again until it is done: the order of the events is kept. False: stop.
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
