#include "http/booking/operator_routes.h"

#include <fmt/format.h>

#include "base/json_writer.h"
#include "domain/booking/reservation_code.h"
#include "http/booking/bodies.h"
#include "http/booking/json.h"
#include "http/booking/report_formats.h"
#include "http/json_body.h"
#include "http/operator_route.h"
#include "http/parse_number.h"

namespace maejin::http {
namespace {

struct Operators {
  ManageConcert& manage;
  OperateBooking& operate;
  ReadConcerts& read;
};

Outcome<std::int64_t> IdOf(const Request& request, Refusal missing) {
  const auto id = ParseNumber(request.params[0]);
  if (!id) return Refused{missing, std::string(request.params[0])};
  return *id;
}

Outcome<std::vector<SeatNumber>> ReadSeatsBody(const Request& request) {
  JsonBody body(request);
  std::vector<SeatNumber> seats;
  for (const auto seat : body.root().Ints("seats", {1, kMaxSeatsPerSchedule}, {1, kMaxSeatsPerSchedule})) {
    seats.push_back(static_cast<SeatNumber>(seat));
  }
  if (auto refused = body.Finish()) return std::move(*refused);
  return seats;
}

// Answers with the concert as it is after the operator's action, with its ranks.
Task<Outcome<Done>> AnswerConcert(ReadConcerts& read, Outcome<ConcertView> done, Response& response) {
  if (!done) co_return done.error();
  const auto shown = co_await read.Rank(*done);
  WriteConcert(response.body, shown);
  co_return Done{};
}

Task<Outcome<Done>> PostSeats(Operators deps, bool block, const Request& request, Response& response) {
  const auto id = IdOf(request, Refusal::kScheduleNotFound);
  if (!id) co_return id.error();
  auto seats = ReadSeatsBody(request);
  if (!seats) co_return seats.error();
  auto task = block ? deps.operate.Block(*id, std::move(*seats), request.actor)
                    : deps.operate.Release(*id, std::move(*seats), request.actor);
  auto done = co_await std::move(task);
  co_return co_await AnswerConcert(deps.read, std::move(done), response);
}

Task<Outcome<Done>> PostPostponement(Operators deps, const Request& request, Response& response) {
  const auto id = IdOf(request, Refusal::kScheduleNotFound);
  if (!id) co_return id.error();
  JsonBody body(request);
  const auto date = body.root().Day("concertDate");
  const auto starts_at = body.root().OptionalInstant("startsAt");
  if (auto refused = body.Finish()) co_return std::move(*refused);
  const NewDate to{date, starts_at};
  auto done = co_await deps.manage.Postpone(*id, to, request.actor);
  co_return co_await AnswerConcert(deps.read, std::move(done), response);
}

Task<Outcome<Done>> PatchConcert(Operators deps, const Request& request, Response& response) {
  const auto id = IdOf(request, Refusal::kConcertNotFound);
  if (!id) co_return id.error();
  auto patch = ReadConcertPatch(request);
  if (!patch) co_return patch.error();
  auto done = co_await deps.manage.Change(*id, std::move(*patch), request.actor);
  co_return co_await AnswerConcert(deps.read, std::move(done), response);
}

Task<Outcome<Done>> PatchSchedule(Operators deps, const Request& request, Response& response) {
  const auto id = IdOf(request, Refusal::kScheduleNotFound);
  if (!id) co_return id.error();
  const auto patch = ReadSchedulePatch(request);
  if (!patch) co_return patch.error();
  auto done = co_await deps.manage.ChangeSchedule(*id, *patch, request.actor);
  co_return co_await AnswerConcert(deps.read, std::move(done), response);
}

using Action = Task<Outcome<ConcertView>> (ManageConcert::*)(std::int64_t, std::string);

Task<Outcome<Done>> PostAction(Operators deps, Action action, Refusal missing, const Request& request,
                               Response& response) {
  const auto id = IdOf(request, missing);
  if (!id) co_return id.error();
  auto done = co_await (deps.manage.*action)(*id, request.actor);
  co_return co_await AnswerConcert(deps.read, std::move(done), response);
}

Outcome<ReservationFilter> ReadFilter(const Request& request, std::int64_t max_limit) {
  ReservationFilter filter;
  std::optional<Refused> wrong;
  const auto number = [&](const char* name, std::int64_t max,
                          std::int64_t min = 0) -> std::optional<std::int64_t> {
    const auto text = request.Query(name);
    if (!text) return {};
    const auto value = ParseNumber(*text, min);
    if (!value || *value > max)
      wrong = Refused{Refusal::kInvalidField, fmt::format("{}: must be {}…{}", name, min, max)};
    return value;
  };
  filter.concert = number("concertId", INT64_MAX);
  filter.schedule = number("scheduleId", INT64_MAX);
  filter.after = number("after", INT64_MAX).value_or(0);
  filter.limit = static_cast<std::size_t>(number("limit", max_limit, 1).value_or(max_limit / 10));
  filter.user = request.Query("userId");
  if (const auto seat = number("seat", kMaxSeatsPerSchedule)) filter.seat = static_cast<SeatNumber>(*seat);
  if (const auto order = request.Query("order")) {
    filter.newest_first = *order == "newest";
    if (!filter.newest_first && *order != "oldest")
      wrong = Refused{Refusal::kInvalidField, "order: must be oldest or newest"};
  }
  if (const auto status = request.Query("status")) {
    filter.status = ReservationStatusOf(*status);
    if (!filter.status)
      wrong = Refused{Refusal::kInvalidField, "status: must be the status of a reservation"};
  }
  if (wrong) return std::move(*wrong);
  return filter;
}

Task<Outcome<Done>> GetReservations(OperateBooking& operate, const Request& request, Response& response) {
  const auto filter = ReadFilter(request, 1000);
  if (!filter) co_return filter.error();
  const auto page = co_await operate.Reservations(*filter);
  if (!page) co_return page.error();
  const auto& found = *page;
  response.body += "{\"reservations\":[";
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i > 0) response.body += ',';
    const auto view = co_await operate.Show(found[i]);
    WriteReservation(response.body, view);
  }
  // The start of the next page; null at the end.
  response.body += found.size() == filter->limit && !found.empty()
                       ? fmt::format("],\"next\":{}}}", found.back().number)
                       : "],\"next\":null}";
  co_return Done{};
}

// Finds a reservation by its id, or by its code.
Task<Outcome<ReservationId>> FindReservationId(OperateBooking& operate, const Request& request) {
  if (const auto id = Id128::Parse(request.params[0])) co_return *id;
  const auto number = NumberOfCode(request.params[0]);
  if (!number) co_return Refused{Refusal::kReservationNotFound, std::string(request.params[0])};
  co_return co_await operate.FindByCode(*number);
}

Task<Outcome<Done>> GetReservation(OperateBooking& operate, const Request& request, Response& response) {
  const auto id = co_await FindReservationId(operate, request);
  if (!id) co_return id.error();
  const auto found = co_await operate.ReadReservation(*id);
  if (!found) co_return found.error();
  WriteReservation(response.body, *found);
  co_return Done{};
}

Task<Outcome<Done>> DeleteReservation(OperateBooking& operate, const Request& request, Response& response) {
  std::string reason;
  if (!request.body.empty()) {
    JsonBody body(request);
    reason = body.root().OptionalText("reason", {.max = 500, .multiline = true}).value_or("");
    if (auto refused = body.Finish()) co_return std::move(*refused);
  }
  const auto id = co_await FindReservationId(operate, request);
  if (!id) co_return id.error();
  const auto cancelled = co_await operate.CancelReservation(*id, std::move(reason), request.actor);
  if (!cancelled) co_return cancelled.error();
  WriteReservation(response.body, *cancelled);
  co_return Done{};
}

Task<Outcome<Done>> GetReservationsCsv(OperateBooking& operate, const Request& request, Response& response) {
  const auto filter = ReadFilter(request, 1'000'000);
  if (!filter) co_return filter.error();
  const auto found = co_await operate.Reservations(*filter);
  if (!found) co_return found.error();
  response.content_type = "text/csv; charset=utf-8";
  response.AddHeader("Content-Disposition", "attachment; filename=\"reservations.csv\"");
  response.body =
      "number,reservationId,code,concertId,scheduleId,userId,seats,amount,status,heldAt,expiresAt,paidAt\r\n";
  for (const auto& each : *found) {
    response.body += fmt::format("{},{},{},{},{},", each.number, each.id.ToString(), CodeOf(each.number),
                                 each.concert, each.schedule);
    AppendCsvText(response.body, each.user);
    response.body += fmt::format(",{},{},{},{},{},{}\r\n", fmt::join(each.seats, " "), each.amount,
                                 Name(ShownStatus(each)), FormatTime(each.held_at),
                                 FormatTime(each.expires_at), each.paid_at ? FormatTime(*each.paid_at) : "");
  }
  co_return Done{};
}

}  // namespace

void AddBookingOperatorRoutes(Router& router, ManageConcert& manage, OperateBooking& operate,
                              ReadConcerts& read) {
  const auto add = [&](Method method, const char* pattern, Handler handler) {
    AddOperatorRoute(router, method, pattern, std::move(handler));
  };
  auto* operations = &operate;
  const Operators deps{manage, operate, read};
  const auto act = [deps](Action action, Refusal missing) -> Handler {
    return [=](const Request& request, Response& response) {
      return PostAction(deps, action, missing, request, response);
    };
  };
  const auto seats = [deps](bool block) -> Handler {
    return
        [=](const Request& request, Response& response) { return PostSeats(deps, block, request, response); };
  };
  using enum Method;
  add(kPost, "/api/v1/schedules/{id}/block", seats(true));
  add(kPost, "/api/v1/schedules/{id}/release", seats(false));
  add(kPost, "/api/v1/schedules/{id}/cancel",
      act(&ManageConcert::CancelSchedule, Refusal::kScheduleNotFound));
  add(kPost, "/api/v1/schedules/{id}/postpone", [deps](const Request& request, Response& response) {
    return PostPostponement(deps, request, response);
  });
  add(kPost, "/api/v1/concerts/{id}/cancel", act(&ManageConcert::Cancel, Refusal::kConcertNotFound));
  add(kPost, "/api/v1/concerts/{id}/close", act(&ManageConcert::Close, Refusal::kConcertNotFound));
  add(kPost, "/api/v1/concerts/{id}/reopen", act(&ManageConcert::Reopen, Refusal::kConcertNotFound));
  add(kPatch, "/api/v1/concerts/{id}",
      [deps](const Request& request, Response& response) { return PatchConcert(deps, request, response); });
  add(kPatch, "/api/v1/schedules/{id}",
      [deps](const Request& request, Response& response) { return PatchSchedule(deps, request, response); });
  add(kGet, "/api/v1/admin/reservations", [operations](const Request& request, Response& response) {
    return GetReservations(*operations, request, response);
  });
  add(kGet, "/api/v1/admin/reservations/{id}", [operations](const Request& request, Response& response) {
    return GetReservation(*operations, request, response);
  });
  add(kDelete, "/api/v1/admin/reservations/{id}", [operations](const Request& request, Response& response) {
    return DeleteReservation(*operations, request, response);
  });
  add(kGet, "/api/v1/admin/reservations.csv", [operations](const Request& request, Response& response) {
    return GetReservationsCsv(*operations, request, response);
  });
}

}  // namespace maejin::http
