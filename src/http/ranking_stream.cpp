#include "http/ranking_stream.h"

#include <charconv>

#include <fmt/format.h>

#include "http/ranking_answers.h"

namespace maejin::http {

Outcome<Done> RankingStream::Listen(const Request& request, std::shared_ptr<EventStream> listener) {
  static const auto kHello = std::make_shared<const std::string>("retry: 2000\n\n");
  const auto seen_text = request.Header("Last-Event-ID");
  std::uint64_t seen = 0;
  std::from_chars(seen_text.data(), seen_text.data() + seen_text.size(), seen);
  const std::lock_guard lock(mutex_);
  listener->Send(kHello);
  if (seen > 0 && seen <= last_id_) {
    for (const auto& frame : remembered_) {
      if (frame.id > seen) listener->Send(frame.text);
    }
  }
  listeners_.push_back(std::move(listener));
  return Done{};
}

void RankingStream::Send(std::shared_ptr<const std::string> frame) {
  std::erase_if(listeners_, [](const auto& listener) { return listener->closed(); });
  for (const auto& listener : listeners_) listener->Send(frame);
}

void RankingStream::Announce(const RankingMovement& movement) {
  std::string data;
  WriteMovement(data, movement);
  const std::lock_guard lock(mutex_);
  const auto id = ++last_id_;
  auto frame =
      std::make_shared<const std::string>(fmt::format("id: {}\nevent: soldout\ndata: {}\n\n", id, data));
  remembered_.push_back({id, frame});
  if (remembered_.size() > kRemembered) remembered_.pop_front();
  Send(std::move(frame));
}

void RankingStream::Tick(Time now, std::uint64_t progress_version) {
  const std::lock_guard lock(mutex_);
  if (now < next_tick_) return;
  next_tick_ = now + Seconds{1};
  std::erase_if(listeners_, [](const auto& listener) { return listener->closed(); });
  if (progress_version == progress_version_ || listeners_.empty()) return;
  progress_version_ = progress_version;
  Send(std::make_shared<const std::string>(
      fmt::format("event: progress\ndata: {{\"version\":{}}}\n\n", progress_version)));
}

std::size_t RankingStream::listeners() const {
  const std::lock_guard lock(mutex_);
  return listeners_.size();
}

}  // namespace maejin::http
