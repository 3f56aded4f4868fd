#include "http/ranking/stream.h"

#include <fmt/format.h>

#include "http/ranking/answers.h"

namespace maejin::http {

Outcome<Done> RankingStream::Listen(const Request& request, std::shared_ptr<EventStream> listener) {
  const auto seen = LastEventNumber(request);
  const std::lock_guard lock(mutex_);
  listener->Send(HelloFrame());
  if (seen && *seen <= last_id_) {
    for (const auto& announced : remembered_) {
      if (announced.id > *seen) listener->Send(announced.frame);
    }
  }
  listeners_.Add(std::move(listener));
  return Done{};
}

void RankingStream::Announce(const RankingMovement& movement) {
  std::string data;
  WriteMovement(data, movement);
  const std::lock_guard lock(mutex_);
  const auto id = ++last_id_;
  const auto frame = MakeFrame("soldout", std::to_string(id), data);
  remembered_.push_back({id, frame});
  if (remembered_.size() > kRemembered) remembered_.pop_front();
  listeners_.Send(frame);
}

void RankingStream::Tick(Time now, std::uint64_t progress_version) {
  const std::lock_guard lock(mutex_);
  if (now < next_tick_) return;
  next_tick_ = now + Seconds{1};
  listeners_.DropClosed();
  if (progress_version == progress_version_ || listeners_.empty()) return;
  progress_version_ = progress_version;
  listeners_.Send(MakeFrame("progress", "", fmt::format("{{\"version\":{}}}", progress_version)));
}

std::size_t RankingStream::listeners() const {
  const std::lock_guard lock(mutex_);
  return listeners_.size();
}

}  // namespace maejin::http
