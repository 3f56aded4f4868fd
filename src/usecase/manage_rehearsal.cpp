#include "usecase/manage_rehearsal.h"

#include <fmt/format.h>

#include "base/json_text.h"
#include "base/log.h"
#include "usecase/read_room.h"

namespace maejin {
namespace {

bool Sells(const ConcertView& concert) {
  return concert.status == ConcertStatus::kOpen || concert.status == ConcertStatus::kScheduled;
}

}  // namespace

std::optional<std::string> ManageRehearsal::BusyRoom() const {
  const auto now = deps_.clock.Now();
  for (const auto& room : ReadRoom(deps_.rooms).Stats()) {
    const auto inside = room.serving.entered + room.serving.bypassed;
    if (room.serving.waiting + inside == 0) continue;
    if (const auto id = ConcertOf(room.room); id && deps_.rooms.booking != nullptr) {
      const auto concert = deps_.rooms.booking->FindConcert(*id, now);
      if (concert && !Sells(*concert)) continue;
    }
    return fmt::format("room {}: {} waiting, {} inside", room.room, room.serving.waiting, inside);
  }
  return {};
}

Task<Outcome<Done>> ManageRehearsal::Record(std::string action, std::string actor, std::string detail) const {
  AuditRow row;
  row.at = deps_.clock.Now();
  row.actor = std::move(actor);
  row.action = std::move(action);
  row.subject = "rehearsal";
  row.detail = std::move(detail);
  return deps_.audit.Record(std::move(row));
}

Task<Outcome<RehearsalStatus>> ManageRehearsal::Start(RehearsalNumbers numbers, bool during_sale,
                                                      std::string actor) {
  if (deps_.real_money) co_return Refusal::kRealMoney;
  const auto last = deps_.runner.Read();
  if (last && last->running()) co_return Refusal::kRehearsalRunning;
  const auto busy = during_sale ? std::nullopt : BusyRoom();
  if (busy) co_return Refused(Refusal::kSaleRunning, *busy);
  auto detail = JsonObjectText([&](JsonWriter& json) {
    json.Field("fans", numbers[RehearsalKey::kFans].value_or(0));
    json.Field("seats", numbers[RehearsalKey::kSeats].value_or(0));
    json.Field("duringSale", during_sale);
  });
  const auto recorded = co_await Record("rehearsal.start", actor, std::move(detail));
  if (!recorded) co_return recorded.error();
  co_return deps_.runner.Start(numbers, std::move(actor),
                               [this](RehearsalStatus ended) { return AfterEnd(std::move(ended)); });
}

Task<Outcome<Done>> ManageRehearsal::Cancel(std::string actor) {
  if (!deps_.runner.Cancel()) co_return Refusal::kNotFound;
  co_return co_await Record("rehearsal.cancel", std::move(actor), "");
}

// A rehearsal with a report has cleaned up. A rehearsal without a report may have left its concert on sale.
Task<Outcome<Done>> ManageRehearsal::AfterEnd(RehearsalStatus ended) const {
  if (ended.report.empty() && ended.concert != 0) {
    const auto cancelled = co_await deps_.concerts.Cancel(ended.concert, ended.actor);
    if (!cancelled && cancelled.error() != Refusal::kConcertCancelled) {
      LogError("the concert {} of a rehearsal that ended early is not cancelled: {}", ended.concert,
               Code(cancelled.error().why));
    }
  }
  auto detail = JsonObjectText([&](JsonWriter& json) {
    json.Field("state", Name(ended.state));
    json.Field("concertId", ended.concert);
  });
  co_return co_await Record("rehearsal.end", ended.actor, std::move(detail));
}

}  // namespace maejin
