#include "http/waiting_room/streams.h"

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/run_task.h"
#include "http/waiting_room/json.h"
#include "usecase/bypass_room.h"

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

RoomStreams::Sent RoomStreams::StandingOf(const Listener& listener, const PlaceAnswer& answer,
                                          Time now) const {
  return {answer.standing.rank.value_or(UINT32_MAX), answer.standing.status, answer.state, answer.notice,
          EndOfRoom(parts_, listener.room, answer.state, now)};
}

std::string RoomStreams::IdOf(const PlaceAnswer& answer, const Sent& standing) {
  const auto notice = answer.notice ? std::hash<std::string>{}(*answer.notice) : 0;
  return fmt::format("{}-{}-{}-{}-{:x}{}", answer.standing.number, standing.rank, Name(standing.status),
                     Name(standing.state), notice, Name(standing.ended));
}

Frame RoomStreams::FrameOf(const Listener& listener, const PlaceAnswer& answer, Time now) const {
  auto frame = fmt::format("event: {}\nid: {}\ndata: ", EventOf(answer),
                           IdOf(answer, StandingOf(listener, answer, now)));
  const auto token = TokenOf(parts_, listener.room, listener.user, answer);
  AppendPlace(MakeReport(parts_, listener.room, answer, now), token, frame);
  frame += "\n\n";
  const bool new_notice = answer.notice && (!listener.sent || answer.notice != listener.sent->notice);
  if (new_notice) {
    frame += "event: notice\ndata: ";
    AppendJsonString(frame, *answer.notice);
    frame += "\n\n";
  }
  return std::make_shared<const std::string>(std::move(frame));
}

void RoomStreams::SendGone(EventStream& stream, std::string_view code, SaleEnd ended) {
  std::string data;
  JsonWriter json(data);
  json.Object([&] {
    json.Field("code", code);
    if (ended == SaleEnd::kNone) return json.Null("ended");
    json.Field("ended", Name(ended));
  });
  stream.Send(MakeFrame("gone", "", data));
  stream.Close();
}

Outcome<Done> RoomStreams::Add(const Visitor& visitor, std::string_view last_event_id,
                               std::shared_ptr<EventStream> stream) {
  PlaceToken token;
  const auto place = FindPlace(parts_.keys, visitor, token);
  if (!place.ok()) return place.error();
  const auto now = parts_.clock.Now();
  const auto answer = parts_.store.PollAtOnce(*place, now);
  // A fan that a bypass let in need not have a place. If a bypass may be in force, the next Tick() decides.
  if (answer && !answer->ok() && !MayBypass(parts_, now)) return answer->error();
  Listener listener{std::string(place->room),  std::string(place->user), place->number, place->epoch, {},
                    std::string(last_event_id)};
  // If a bypass may be in force, the next Tick() sends the first frame, because it can wait for the store to
  // read stays.
  const bool now_known = answer && !MayBypass(parts_, now);
  if (now_known && !Update(*stream, listener, *answer, now)) return Done{};
  const std::lock_guard lock(mutex_);
  listeners_.Add(std::move(stream), std::move(listener));
  return Done{};
}

bool RoomStreams::Update(EventStream& stream, Listener& listener, const Outcome<PlaceAnswer>& answer,
                         Time now) const {
  if (!answer.ok()) {
    // An outage: the next Tick() tries again.
    if (answer.error() == Refusal::kUnavailable) return true;
    SendGone(stream, "not-queued", EndOfRoom(parts_, listener.room, RoomState::kOpen, now));
    return false;
  }
  listener.number = answer->standing.number;
  listener.epoch = answer->epoch;
  const auto standing = StandingOf(listener, *answer, now);
  if (standing == listener.sent) return true;
  const bool has_it = !listener.sent && listener.last_event_id == IdOf(*answer, standing);
  if (!has_it) stream.Send(FrameOf(listener, *answer, now));
  listener.sent = standing;
  // The room is closed: a waiting fan gets no further events.
  if (standing.state != RoomState::kClosed || standing.status == PlaceStatus::kEntered) return true;
  SendGone(stream,
           Code(standing.ended == SaleEnd::kCancelled ? Refusal::kConcertCancelled : Refusal::kRoomClosed),
           standing.ended);
  return false;
}

Task<void> RoomStreams::Ask(EventStream& stream, Listener& listener, Time now) const {
  PlaceRef place{listener.room, listener.user, listener.number, listener.epoch};
  auto polled = co_await parts_.store.Poll(place, now);
  const auto answer = co_await SeenThroughBypass(parts_, std::move(place), std::move(polled), now);
  Update(stream, listener, answer, now);
}

// Does not hold the lock while it waits for the store.
void RoomStreams::Tick() {
  Listeners<Listener> all;
  {
    const std::lock_guard lock(mutex_);
    std::swap(all, listeners_);
    in_tick_ = all.size();
  }
  const auto now = parts_.clock.Now();
  all.Each([&](EventStream& stream, Listener& listener) {
    const PlaceView place{listener.room, listener.user, listener.number, listener.epoch};
    const auto answer = parts_.store.PollAtOnce(place, now);
    listener.answered = answer.has_value() && !MayBypass(parts_, now);
    return !listener.answered || Update(stream, listener, *answer, now);
  });
  std::vector<Task<void>> asking;
  all.Visit([&](EventStream& stream, Listener& listener) {
    if (!listener.answered) asking.push_back(Ask(stream, listener, now));
  });
  if (!asking.empty()) RunTasks(std::move(asking));
  const std::lock_guard lock(mutex_);
  in_tick_ = 0;
  listeners_.Take(std::move(all));
}

std::size_t RoomStreams::size() const {
  const std::lock_guard lock(mutex_);
  return listeners_.size() + in_tick_;
}

}  // namespace maejin::http
