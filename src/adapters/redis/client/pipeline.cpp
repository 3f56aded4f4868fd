#include "adapters/redis/client/pipeline.h"

#include <utility>

namespace maejin::redis {

void Pipeline::Submit(std::unique_ptr<Call> call) {
  if (queued_.size() >= kMaxQueued) {
    call->Complete(RedisError::Unavailable("too many queued Redis commands"));
    return;
  }
  queued_.push_back(std::move(call));
}

void Pipeline::TakeOutput(std::string& out) {
  while (!queued_.empty()) {
    auto call = std::move(queued_.front());
    queued_.pop_front();
    if (call->asking) {
      Command{"ASKING"}.AppendTo(out);
      sent_.push_back(nullptr);
    }
    call->command.AppendTo(out, server_);
    sent_.push_back(std::move(call));
  }
}

bool Pipeline::Feed(std::string_view bytes) {
  reader_->Feed(bytes);
  while (auto reply = reader_->Next()) {
    if (sent_.empty()) return false;
    const auto call = std::move(sent_.front());
    sent_.pop_front();
    if (call) call->Complete(std::move(*reply));
  }
  return reader_->error().empty();
}

void Pipeline::Disconnected(const std::string& why) {
  reader_ = std::make_unique<ReplyReader>();
  auto lost = std::exchange(sent_, {});
  for (const auto& call : lost) {
    if (call) call->Complete(RedisError::Unknown(why));
  }
}

void Pipeline::RefuseQueued(const std::string& why) {
  auto refused = std::exchange(queued_, {});
  for (const auto& call : refused) call->Complete(RedisError::Unavailable(why));
}

bool Pipeline::Expire(Instant now) {
  std::deque<std::unique_ptr<Call>> late;
  std::erase_if(queued_, [&](auto& call) {
    if (call->deadline > now) return false;
    late.push_back(std::move(call));
    return true;
  });
  for (const auto& call : late) call->Complete(RedisError::Unavailable("Redis is not connected"));
  // Checks the first sent call only: it has the earliest deadline, unless a later call was redirected to this
  // server.
  for (const auto& call : sent_) {
    if (call) return call->deadline <= now;
  }
  return false;
}

}  // namespace maejin::redis
