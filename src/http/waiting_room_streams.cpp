#include "http/waiting_room_streams.h"

#include <fmt/format.h>

#include "base/json_writer.h"
#include "http/waiting_room_json.h"

namespace maejin::http {
namespace {

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

Frame RoomStreams::FrameOf(const Listener& listener, const PlaceAnswer& answer, Time now) const {
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
  return std::make_shared<const std::string>(std::move(frame));
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
  Listener listener{
      std::string(place->room), std::string(place->user), standing.number, (*answer)->epoch, {}};
  if (last_event_id != IdOf(**answer)) stream->Send(FrameOf(listener, **answer, now));
  listener.told = TellingOf(**answer);
  const std::lock_guard lock(mutex_);
  listeners_.Add(std::move(stream), std::move(listener));
  return Done{};
}

bool RoomStreams::Update(EventStream& stream, Listener& listener, Time now) {
  const PlaceView place{listener.room, listener.user, listener.number, listener.epoch};
  const auto answer = parts_.store.PollAtOnce(place, now);
  if (!answer) return true;
  if (!answer->ok()) {
    static const auto kGone = MakeFrame("gone", "", R"({"code":"not-queued"})");
    stream.Send(kGone);
    stream.Close();
    return false;
  }
  const auto telling = TellingOf(**answer);
  if (telling == listener.told) return true;
  stream.Send(FrameOf(listener, **answer, now));
  listener.told = telling;
  return true;
}

void RoomStreams::Tick() {
  const std::lock_guard lock(mutex_);
  const auto now = parts_.clock.Now();
  listeners_.Each([&](EventStream& stream, Listener& listener) { return Update(stream, listener, now); });
}

std::size_t RoomStreams::size() const {
  const std::lock_guard lock(mutex_);
  return listeners_.size();
}

}  // namespace maejin::http
