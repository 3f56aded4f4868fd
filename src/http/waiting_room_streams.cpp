#include "http/waiting_room_streams.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "http/waiting_room_json.h"

namespace maejin::http {
namespace {

// A comment now and then keeps proxies from closing, and shows who is gone.
constexpr std::uint64_t kHeartbeatTicks = 15;

std::shared_ptr<const std::string> Shared(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

std::string_view EventOf(const PlaceAnswer& answer) {
  switch (answer.standing.status) {
    case PlaceStatus::kReady:
      return "turn";
    case PlaceStatus::kEntered:
      return "entered";
    case PlaceStatus::kWaiting:
      return "position";
  }
  return "position";
}

}  // namespace

RoomStreams::Told RoomStreams::TellingOf(const PlaceAnswer& answer) {
  return {answer.standing.rank.value_or(UINT32_MAX), answer.standing.status, answer.state,
          answer.notice.get()};
}

std::string RoomStreams::IdOf(const PlaceAnswer& answer) {
  const auto notice = answer.notice ? std::hash<std::string>{}(*answer.notice) : 0;
  return fmt::format("{}-{}-{}-{}-{:x}", answer.standing.number, answer.standing.rank.value_or(UINT32_MAX),
                     Name(answer.standing.status), Name(answer.state), notice);
}

std::shared_ptr<const std::string> RoomStreams::FrameOf(const Listener& listener, const PlaceAnswer& answer,
                                                        Time now) const {
  auto frame = fmt::format("event: {}\nid: {}\ndata: ", EventOf(answer), IdOf(answer));
  const auto token = TokenOf(parts_, listener.room, listener.user, answer);
  AppendPlace(MakeReport(parts_, listener.room, answer, now), token, frame);
  frame += "\n\n";
  const bool other_notice = answer.notice && answer.notice.get() != listener.told.notice;
  if (other_notice) {
    frame += "event: notice\ndata: ";
    AppendJsonString(frame, *answer.notice);
    frame += "\n\n";
  }
  return Shared(std::move(frame));
}

Outcome<Done> RoomStreams::Add(const Visitor& visitor, std::string_view last_event_id,
                               std::shared_ptr<EventStream> stream) {
  PlaceToken token;
  const auto place = FindPlace(parts_.keys, visitor, token);
  if (!place.ok()) return place.error();
  const auto now = parts_.clock.Now();
  const auto answer = parts_.store.PollAtOnce(*place, now);
  if (!answer) return Refusal::kUnavailable;
  if (!answer->ok()) return answer->error();
  const auto& standing = (*answer)->standing;
  Listener listener{std::move(stream), std::string(place->room), std::string(place->user),
                    standing.number,   (*answer)->epoch,         {}};
  if (last_event_id != IdOf(**answer)) listener.stream->Send(FrameOf(listener, **answer, now));
  listener.told = TellingOf(**answer);
  const std::lock_guard lock(mutex_);
  listeners_.push_back(std::move(listener));
  return Done{};
}

bool RoomStreams::Update(Listener& listener, Time now) {
  if (listener.stream->closed()) return false;
  const PlaceView place{listener.room, listener.user, listener.number, listener.epoch};
  const auto answer = parts_.store.PollAtOnce(place, now);
  if (!answer) return true;
  if (!answer->ok()) {
    static const auto kGone = Shared("event: gone\ndata: {\"code\":\"not-queued\"}\n\n");
    listener.stream->Send(kGone);
    listener.stream->Close();
    return false;
  }
  const auto telling = TellingOf(**answer);
  if (telling == listener.told) return true;
  listener.stream->Send(FrameOf(listener, **answer, now));
  listener.told = telling;
  return true;
}

void RoomStreams::Tick() {
  static const auto kHeartbeat = Shared(":\n\n");
  const std::lock_guard lock(mutex_);
  const auto now = parts_.clock.Now();
  const bool heartbeat = ++ticks_ % kHeartbeatTicks == 0;
  std::erase_if(listeners_, [&](Listener& listener) {
    if (!Update(listener, now)) return true;
    if (heartbeat) listener.stream->Send(kHeartbeat);
    return false;
  });
  if (listeners_.capacity() > 1024 && listeners_.size() < listeners_.capacity() / 4)
    listeners_.shrink_to_fit();
}

std::size_t RoomStreams::size() const {
  const std::lock_guard lock(mutex_);
  return listeners_.size();
}

}  // namespace maejin::http
