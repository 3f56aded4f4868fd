#include "adapters/redis/ranking/movement_feed.h"

#include <cstdlib>

namespace maejin::redis {
namespace {

// A message reads "<node> c 42" or "<node> s 42".
constexpr char kConcert = 'c';
constexpr char kSchedule = 's';

}  // namespace

void MovementFeed::Listen(Listener listener) {
  listener_ = std::move(listener);
  // A last message may arrive while the store ends: `this` is used only after Begin() succeeded.
  auto on_message = [this, own = node_ + " ", in_flight = context_.in_flight](const std::string* message) {
    if (message == nullptr || message->starts_with(own) || !in_flight->Begin()) return;
    context_.client.Spawn(OnMessage(*message));
  };
  subscription_ = context_.client.Subscribe(context_.keys.Movements(), std::move(on_message));
}

Task<void> MovementFeed::Announce(ConcertSoldOut sold_out) {
  Publish(kConcert, sold_out.concert);
  return Report(std::move(sold_out));
}

Task<void> MovementFeed::Announce(ScheduleSoldOut sold_out) {
  Publish(kSchedule, sold_out.schedule);
  return Report(std::move(sold_out));
}

void MovementFeed::Publish(char kind, std::int64_t id) {
  const auto message = node_ + " " + kind + " " + std::to_string(id);
  context_.client.Send(Command("PUBLISH", context_.keys.Movements(), message));
}

Task<void> MovementFeed::Report(ConcertSoldOut sold_out) {
  if (!listener_) co_return;
  const auto ranks = co_await reader_.RanksOf(sold_out.concert);
  if (ranks.ok() && *ranks) listener_({Describe(sold_out, (*ranks)->all - 1), **ranks});
}

Task<void> MovementFeed::Report(ScheduleSoldOut sold_out) {
  if (!listener_) co_return;
  const auto window = WindowOf(WindowKind::kMonthly, sold_out.sold_out_at, context_.retention.zone());
  const RankQuery query{{BoardId::kSchedulesMonthly, window}, sold_out.schedule, 0};
  const auto month = co_await reader_.ReadRank<ScheduleSoldOut>(query);
  if (month.ok()) listener_({month->entries[0], {}});
}

template <class SoldOut>
Task<void> MovementFeed::FindAndReport(std::int64_t id) {
  const auto found = co_await reader_.Find<SoldOut>(id);
  if (found.ok() && *found) co_await Report(**found);
}

Task<void> MovementFeed::OnMessage(std::string message) {
  const auto in_flight = context_.in_flight;
  const auto space = message.find(' ');
  if (space != std::string::npos && message.size() > space + 3) {
    const auto id = std::strtoll(message.c_str() + space + 3, nullptr, 10);
    if (message[space + 1] == kConcert) {
      co_await FindAndReport<ConcertSoldOut>(id);
    } else {
      co_await FindAndReport<ScheduleSoldOut>(id);
    }
  }
  in_flight->End();
}

}  // namespace maejin::redis
