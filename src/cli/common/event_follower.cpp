#include "cli/common/event_follower.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include <fmt/format.h>
#include <boost/json/serialize.hpp>

#include "adapters/embedded/data_folder.h"
#include "base/numbers.h"
#include "cli/common/admin_client.h"
#include "cli/common/answer_json.h"

namespace maejin::cli {
namespace {

// Short, so that a signal takes effect soon.
constexpr int kLongPollSeconds = 2;
constexpr Seconds kFeedTimeout{30};
constexpr Millis kShortestPause{1000};
constexpr Millis kLongestPause{30'000};

}  // namespace

std::int64_t EventCursor::Read() const {
  std::ifstream in(file_);
  std::string text;
  std::getline(in, text);
  return ParseInt<std::int64_t>(text).value_or(0);
}

bool EventCursor::Lock() const {
  auto lock = file_;
  lock += ".lock";
  const int fd = open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
}

bool EventCursor::Write(std::int64_t id) const {
  const auto text = std::to_string(id) + "\n";
  auto temporary = file_;
  temporary += ".new";
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  const bool written =
      write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fsync(fd) == 0;
  close(fd);
  return written && std::rename(temporary.c_str(), file_.c_str()) == 0;
}

int EventFollower::Run() {
  Millis pause = kShortestPause;
  while (!stopped_) {
    const auto read = ReadPage();
    if (!read) {
      if (read.error().empty()) return kExitError;
      fmt::print(stderr, "maejin: {}; trying again\n", read.error());
      stopped_ = signals_.WaitFor(pause);
      pause = std::min(pause * 2, kLongestPause);
      continue;
    }
    pause = kShortestPause;
    if (*read == 0 && invocation_.Has("once")) return kExitDone;
    stopped_ = stopped_ || signals_.WaitFor(Millis{0});
  }
  return kExitDone;
}

Result<HttpAnswer, std::string> EventFollower::Ask(std::string target) {
  if (!client_) {
    const auto server = invocation_.Has("url") ? invocation_.Text("url") : RunningServer(invocation_.config);
    if (!server) return NoServer();
    auto client = AdminClient(*server, invocation_.config);
    if (!client) return client.error();
    client_ = std::move(*client);
    client_->SetTimeout(kFeedTimeout);
  }
  HttpCall call;
  call.target = std::move(target);
  auto answer = client_->Call(call);
  if (!answer) client_.reset();
  return answer;
}

std::string EventFollower::NoServer() const {
  return fmt::format("no server runs on the data folder {}", invocation_.config.data.string());
}

Result<std::size_t, std::string> EventFollower::ReadPage() {
  if (invocation_.Has("once") && !invocation_.Has("url") && !RunningServer(invocation_.config)) {
    Fail(NoServer());
    return std::string();
  }
  const auto answer = Ask(fmt::format("/api/v1/admin/events?after={}&types={}&limit=100&wait={}", after_,
                                      types_, invocation_.Has("once") ? 0 : kLongPollSeconds));
  if (!answer) return answer.error();
  if (answer->status == 400 || answer->status == 401) {
    Fail(answer->body);
    return std::string();
  }
  if (answer->status != 200) return fmt::format("the server answers {}", answer->status);
  return HandlePage(answer->body);
}

Result<std::size_t, std::string> EventFollower::HandlePage(const std::string& body) {
  const auto page = ObjectIn(body);
  const auto* events = page ? ListOf(*page, "events") : nullptr;
  if (!events) return std::string("the server's answer is no page of events");
  std::size_t handled = 0;
  for (const auto& each : *events) {
    auto event = ParseEvent(boost::json::serialize(each));
    if (event.id == 0) {
      // The counts of a room come without an id: they are not stored in the feed.
      event.type = each.is_object() ? TextOf(each.as_object(), "type") : "";
      event.json = boost::json::serialize(each);
    }
    if (!HandleOne(event)) return handled;
    ++handled;
    if (event.id == 0) continue;
    after_ = event.id;
    if (!cursor_.Write(after_)) {
      Fail(fmt::format("cannot write {}", cursor_.file().string()));
      return std::string();
    }
  }
  // `next` may be higher: the page leaves out events of other types.
  after_ = std::max(after_, CountOf(*page, "next"));
  return handled;
}

bool EventFollower::HandleOne(const Event& event) {
  for (Millis pause = kShortestPause;; pause = std::min(pause * 2, kLongestPause)) {
    const auto handled = handle_(*this, event);
    if (handled == Handled::kDone) return true;
    stopped_ = handled == Handled::kStop || signals_.WaitFor(pause);
    if (stopped_) return false;
  }
}

int Follow(const Invocation& invocation, Following following) {
  std::int64_t after = 0;
  if (invocation.Has("after") && !ReadNumber(invocation, "after", 0, INT64_MAX, after)) return kExitUsage;
  const auto given = invocation.Text("cursor");
  EventCursor cursor(given.empty() ? invocation.config.data / following.default_cursor
                                   : std::filesystem::path(given));
  if (!invocation.Has("url") || (given.empty() && !std::filesystem::exists(invocation.config.data)))
    if (const auto present = embedded::DataFolder::CheckPresent(invocation.config.data); !present)
      return Fail(present.error());
  if (!cursor.Lock())
    return Fail(fmt::format("cannot lock {}: another process may use it", cursor.file().string()));
  const StopSignals signals;
  EventFollower follower(signals, invocation, std::move(cursor), std::move(following.types),
                         std::move(following.handle));
  if (invocation.Has("after")) follower.StartAfter(after);
  return follower.Run();
}

}  // namespace maejin::cli
