#include "usecase/keep_rankings.h"

#include "base/json_text.h"
#include "domain/ranking/import_ids.h"

namespace maejin {

Task<Outcome<Done>> KeepRankings::Record(std::string actor, std::string action, std::string subject,
                                         std::string detail) {
  AuditRow row;
  row.at = clock_.Now();
  row.actor = std::move(actor);
  row.action = std::move(action);
  row.subject = std::move(subject);
  row.detail = std::move(detail);
  return audit_.Record(std::move(row));
}

Task<Outcome<Done>> KeepRankings::RecordImport(ImportReport report, bool complete, std::string actor) {
  auto detail = JsonObjectText([&](JsonWriter& json) {
    json.Field("imported", report.imported);
    json.Field("skipped", report.skipped);
    json.Field("rejected", report.rejected_count);
    json.Field("complete", complete);
  });
  return Record(std::move(actor), "rankings.import", "sold-outs", std::move(detail));
}

Task<Outcome<Done>> KeepRankings::Rebuild(std::string actor) {
  const auto rebuilt = co_await store_.Rebuild();
  if (!rebuilt) co_return rebuilt.error();
  auto recorded = co_await Record(std::move(actor), "rankings.rebuild", "boards", "");
  co_return recorded;
}

Task<Outcome<Done>> KeepRankings::Remove(ConcertId concert, std::string actor) {
  const auto removed = co_await corrections_.Remove(concert, clock_.Now());
  if (!removed) co_return removed.error();
  const auto recorded =
      co_await Record(std::move(actor), "soldout.remove", "concert " + std::to_string(concert), "");
  if (!recorded) co_return recorded.error();
  auto rebuilt = co_await store_.Rebuild();
  co_return rebuilt;
}

Task<Outcome<Done>> KeepRankings::Correct(SoldOutHistory history, std::string actor) {
  CountDates(history);
  if (const auto error = HistoryError(history, clock_.Now())) {
    const auto* field = error->starts_with("sold-out") ? "soldOutAt: " : "schedules: ";
    co_return Refused{Refusal::kInvalidField, field + std::string(*error)};
  }
  AssignIds(history);
  const auto concert = history.concert.concert;
  auto detail = JsonObjectText([&](JsonWriter& json) {
    json.Field("title", history.concert.title);
    json.Field("bookingOpenAt", history.concert.booking_open_at);
    json.Field("soldOutAt", history.concert.sold_out_at);
  });
  const auto corrected = co_await corrections_.Correct(std::move(history));
  if (!corrected) co_return corrected.error();
  const auto recorded = co_await Record(std::move(actor), "soldout.correct",
                                        "concert " + std::to_string(concert), std::move(detail));
  if (!recorded) co_return recorded.error();
  auto rebuilt = co_await store_.Rebuild();
  co_return rebuilt;
}

Task<Outcome<PruneReport>> KeepRankings::Prune(Date before, std::string actor) {
  auto pruned = co_await store_.Prune(before);
  if (!pruned) co_return pruned;
  auto detail = JsonObjectText([&](JsonWriter& json) {
    json.Field("before", before);
    json.Field("boards", pruned->boards);
    json.Field("rows", pruned->rows);
  });
  const auto recorded = co_await Record(std::move(actor), "rankings.prune", "boards", std::move(detail));
  if (!recorded) co_return recorded.error();
  co_return pruned;
}

}  // namespace maejin
