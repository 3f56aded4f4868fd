// Transitions of operators: create a concert, add dates, open.
#include "adapters/mysql/audit_log.h"
#include "adapters/mysql/booking_rows.h"
#include "adapters/mysql/booking_store.h"
#include "adapters/mysql/event_rows.h"
#include "adapters/mysql/operator_view.h"
#include "store/booking_audit.h"

namespace maejin::mysql {
namespace {

// Locks the concert and returns its opening time. Refuses: kConcertNotFound, kConcertCancelled,
// kConcertClosed.
Outcome<std::optional<Time>> LockOpening(Connection& connection, ConcertId concert) {
  auto row =
      connection.Query("SELECT status, booking_open_at FROM concerts WHERE id = ? FOR UPDATE", concert);
  if (!row.Next()) return Refused{Refusal::kConcertNotFound, std::to_string(concert)};
  if (row.Text(0) == "CANCELLED") return Refusal::kConcertCancelled;
  if (row.Text(0) == "CLOSED") return Refusal::kConcertClosed;
  return row.OptionalAt(1);
}

void AuditConcert(Connection& connection, std::string_view action, ConcertId concert, std::string_view detail,
                  const Operator& actor) {
  const auto subject = AuditSubject(concert);
  AppendAudit(connection, {actor.at, actor.name, action, subject, detail});
}

}  // namespace

Task<Outcome<ConcertView>> MysqlBookingStore::CreateConcert(ConcertDetails details,
                                                            std::vector<SchedulePlan> schedules,
                                                            Operator actor) {
  const auto now = actor.at;
  const auto token = Id128::Random(context_.random);
  return ViewOf(context_,
                context_.Transit<ConcertId>([this, token, details = std::move(details),
                                             schedules = std::move(schedules), actor = std::move(actor),
                                             now](Connection& connection,
                                                  const Attempt& attempt) -> Outcome<Decided<ConcertId>> {
                  if (attempt.commit_unknown) {
                    std::optional<ConcertId> made;
                    {
                      auto before =
                          connection.Query("SELECT id FROM concerts WHERE token = ? FOR UPDATE", token);
                      if (before.Next()) made = before.Int(0);
                    }
                    if (made) return ReadForMirror(connection, context_.mirror, *made);
                  }
                  const auto id = AddConcert(connection, details, token, now);
                  for (const auto& plan : schedules) AddSchedule(connection, id, plan, token, now);
                  AuditConcert(connection, "concert.create", id, DescribeConcert(details, schedules), actor);
                  return ReadForMirror(connection, context_.mirror, id);
                }),
                now);
}

Task<Outcome<ConcertView>> MysqlBookingStore::AddSchedules(ConcertId concert,
                                                           std::vector<SchedulePlan> schedules,
                                                           Operator actor) {
  const auto now = actor.at;
  const auto token = Id128::Random(context_.random);
  return ViewOf(
      context_,
      context_.Transit<ConcertId>(
          [this, concert, token, schedules = std::move(schedules), actor = std::move(actor), now](
              Connection& connection, const Attempt& attempt) -> Outcome<Decided<ConcertId>> {
            LockIds(connection);
            const auto opening = LockOpening(connection, concert);
            if (!opening) return opening.error();
            bool added = false;
            if (attempt.commit_unknown) {
              auto before = connection.Query("SELECT id FROM schedules WHERE token = ? FOR UPDATE", token);
              added = before.Next();
            }
            if (!added) {
              connection.Execute("UPDATE concerts SET version = version + 1, life = life + 1 WHERE id = ?",
                                 concert);
              for (const auto& plan : schedules) AddSchedule(connection, concert, plan, token, now);
              AuditConcert(connection, "concert.add-dates", concert, DescribeDates(schedules), actor);
            }
            return ReadForMirror(connection, context_.mirror, concert);
          }),
      now);
}

Task<Outcome<ConcertView>> MysqlBookingStore::OpenConcert(ConcertId concert, Operator actor) {
  const auto now = actor.at;
  return ViewOf(
      context_,
      context_.Transit<ConcertId>([this, concert, now, actor = std::move(actor)](
                                      Connection& connection,
                                      const Attempt& attempt) -> Outcome<Decided<ConcertId>> {
        const auto opening = LockOpening(connection, concert);
        if (!opening) return opening.error();
        const bool done_before = attempt.commit_unknown && *opening == now;
        if (!done_before && *opening && **opening <= now) return Refusal::kAlreadyOpen;
        if (done_before) return ReadForMirror(connection, context_.mirror, concert);
        connection.Execute(
            "UPDATE concerts SET booking_open_at = ?, version = version + 1, life = life + 1 WHERE id = ?",
            now, concert);
        AddOpening(connection, concert, now, now);
        AuditConcert(connection, "concert.open", concert, "", actor);
        return ReadForMirror(connection, context_.mirror, concert);
      }),
      now);
}

}  // namespace maejin::mysql
