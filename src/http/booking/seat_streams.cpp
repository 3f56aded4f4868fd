#include "http/booking/seat_streams.h"

#include "http/booking/json.h"
#include "http/parse_number.h"

namespace maejin::http {
namespace {

constexpr Millis kSendEvery{250};

// The version that the client names in Last-Event-ID or ?since=. If it names none: 0, which is older than
// every version.
Outcome<std::uint64_t> KnownVersion(const Request& request) {
  if (const auto seen = LastEventNumber(request)) return *seen;
  const auto since = request.Query("since");
  if (!since) return std::uint64_t{0};
  const auto version = ParseNumber(*since);
  if (!version) return Refused{Refusal::kInvalidField, "since: must be a version"};
  return static_cast<std::uint64_t>(*version);
}

}  // namespace

Outcome<Frame> SeatStreams::FrameSince(ScheduleId schedule, std::uint64_t& version) const {
  const auto changes = read_.Since(schedule, version);
  if (!changes) return changes.error();
  if (*changes) {
    version = (*changes)->version;
    if ((*changes)->changes.empty()) return Frame{};
    std::string data;
    WriteCompactChanges(data, schedule, **changes);
    return MakeFrame("seats", std::to_string(version), data);
  }
  const auto page = pages_.Get(schedule, SeatsForm::kSnapshot);
  if (!page) return page.error();
  // A page may be older than the newest version (SeatsPages). A listener that already has a newer version
  // than the page waits for the next page.
  const bool knows_newer = version >= (*page)->version && version <= read_.Version(schedule);
  if (knows_newer) return Frame{};
  version = (*page)->version;
  return SeatsPage::Share(*page);
}

Outcome<Done> SeatStreams::Listen(const Request& request, std::shared_ptr<EventStream> listener) {
  const auto schedule = ParseNumber(request.params[0]);
  if (!schedule) return Refused{Refusal::kScheduleNotFound, std::string(request.params[0])};
  const auto known = KnownVersion(request);
  if (!known) return known.error();
  auto version = *known;
  const auto frame = FrameSince(*schedule, version);
  if (!frame) return frame.error();
  listener->Send(HelloFrame());
  if (*frame) listener->Send(*frame);
  const std::lock_guard lock(mutex_);
  auto& channel = channels_[*schedule];
  // If the channel's version is older than this listener's, the listener gets some changes twice, which has
  // no effect. It misses none.
  if (channel.listeners.empty()) channel.sent_version = version;
  channel.sent_version = std::min(channel.sent_version, version);
  channel.listeners.Add(std::move(listener));
  return Done{};
}

void SeatStreams::Tick(Time now) {
  const std::lock_guard lock(mutex_);
  if (now < next_tick_) return;
  next_tick_ = now + kSendEvery;
  for (auto it = channels_.begin(); it != channels_.end();) {
    auto& [schedule, channel] = *it;
    channel.listeners.DropClosed();
    if (channel.listeners.empty()) {
      it = channels_.erase(it);
      continue;
    }
    if (read_.Version(schedule) != channel.sent_version) {
      const auto frame = FrameSince(schedule, channel.sent_version);
      if (frame && *frame) channel.listeners.Send(*frame);
    }
    ++it;
  }
}

std::size_t SeatStreams::listeners() const {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const auto& [schedule, channel] : channels_) count += channel.listeners.size();
  return count;
}

}  // namespace maejin::http
