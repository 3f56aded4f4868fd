#include "http/booking/routes.h"

#include <charconv>

#include "domain/booking/reservation_code.h"
#include "http/booking/bodies.h"
#include "http/booking/json.h"
#include "http/booking/reservation_owner.h"
#include "http/booking/seat_plan.h"
#include "http/booking/seat_plan_import.h"
#include "http/callers.h"
#include "http/concert_in.h"
#include "http/entity_tag.h"
#include "http/parse_number.h"
#include "http/queue_token.h"

namespace maejin::http {
namespace {

Task<Outcome<Done>> PostConcert(BookingRoutes routes, const Request& request, Response& response) {
  auto body = ReadConcertBody(request);
  if (!body) co_return body.error();
  const auto created = co_await routes.manage_concert.Create(std::move(body->details),
                                                             std::move(body->schedules), request.actor);
  if (!created) co_return created.error();
  response.status = 201;
  response.AddHeader("Location", "/api/v1/concerts/" + std::to_string(created->id));
  WriteConcert(response.body, {*created});
  co_return Done{};
}

Task<Outcome<Done>> PostSchedules(BookingRoutes routes, const Request& request, Response& response) {
  const auto id = ConcertIn(request);
  if (!id) co_return id.error();
  const auto concert = co_await routes.read_concerts.One(*id);
  if (!concert) co_return concert.error();
  auto plans = ReadSchedulesBody(request, concert->details.price);
  if (!plans) co_return plans.error();
  const auto changed = co_await routes.manage_concert.AddSchedules(*id, std::move(*plans), request.actor);
  if (!changed) co_return changed.error();
  response.status = 201;
  const auto shown = co_await routes.read_concerts.Rank(*changed);
  WriteConcert(response.body, shown);
  co_return Done{};
}

Task<Outcome<Done>> PostOpen(BookingRoutes routes, const Request& request, Response& response) {
  const auto id = ConcertIn(request);
  if (!id) co_return id.error();
  const auto opened = co_await routes.manage_concert.Open(*id, request.actor);
  if (!opened) co_return opened.error();
  const auto shown = co_await routes.read_concerts.Rank(*opened);
  WriteConcert(response.body, shown);
  co_return Done{};
}

Task<Outcome<Done>> GetConcert(BookingRoutes routes, const Request& request, Response& response) {
  const auto id = ConcertIn(request);
  if (!id) co_return id.error();
  const auto concert = co_await routes.read_concerts.One(*id);
  if (!concert) co_return concert.error();
  const auto shown = co_await routes.read_concerts.Rank(*concert);
  WriteConcert(response.body, shown);
  co_return Done{};
}

Task<Outcome<Done>> ListConcerts(BookingRoutes routes, ReadConcerts::Which which, const Request& request,
                                 Response& response) {
  std::int64_t after = 0;
  std::int64_t limit = 100;
  if (const auto text = request.Query("after")) {
    const auto number = ParseNumber(*text);
    if (!number) co_return Refused{Refusal::kInvalidField, "after: must be a concert's id"};
    after = *number;
  }
  if (const auto text = request.Query("limit")) {
    const auto number = ParseNumber(*text);
    if (!number || *number > 1000) co_return Refused{Refusal::kInvalidField, "limit: must be 1…1000"};
    limit = *number;
  }
  const auto page = co_await routes.read_concerts.Page(after, static_cast<std::size_t>(limit), which);
  WriteConcerts(response.body, page);
  co_return Done{};
}

Task<Outcome<Done>> GetConcerts(BookingRoutes routes, const Request& request, Response& response) {
  return ListConcerts(routes, ReadConcerts::Which::kListed, request, response);
}

Task<Outcome<Done>> GetAllConcerts(BookingRoutes routes, const Request& request, Response& response) {
  return ListConcerts(routes, ReadConcerts::Which::kAll, request, response);
}

Task<Outcome<Done>> PostReservation(BookingRoutes routes, const Request& request, Response& response) {
  auto body = ReadHoldBody(request);
  if (!body) co_return body.error();
  auto user = FindBesideToken(routes.identity, request, body->user);
  if (!user) co_return user.error();
  HoldCommand command;
  command.request = std::move(body->request);
  command.request.idempotency_key = request.Header("Idempotency-Key");
  command.user = std::move(*user);
  command.token = QueueTokenIn(request);
  const auto held = co_await routes.hold_seats(std::move(command));
  if (!held) co_return held.error();
  response.status = 201;
  const auto view = co_await routes.manage_reservation.Show(*held);
  WriteReservation(response.body, view);
  co_return Done{};
}

Task<Outcome<Done>> PostPayment(BookingRoutes routes, const Request& request, Response& response) {
  auto body = ReadPaymentBody(request);
  if (!body) co_return body.error();
  auto ref = FindOwned(routes.identity, request, body->user);
  if (!ref) co_return ref.error();
  RequestTrace trace{std::string(request.request_id), std::string(request.traceparent)};
  const auto paid =
      co_await routes.confirm_payment(std::move(*ref), std::move(body->request), std::move(trace));
  if (!paid) co_return paid.error();
  response.status = paid->reservation.status == ReservationStatus::kConfirmed ? 200 : 202;
  WritePayment(response.body, *paid);
  co_return Done{};
}

Task<Outcome<Done>> GetReservation(BookingRoutes routes, const Request& request, Response& response) {
  auto ref = FindOwned(routes.identity, request);
  if (!ref) co_return ref.error();
  const auto found = co_await routes.manage_reservation.Read(std::move(*ref));
  if (!found) co_return found.error();
  const auto view = co_await routes.manage_reservation.Show(found->reservation, found->payment);
  WriteReservation(response.body, view);
  co_return Done{};
}

// The caller's own reservations, newest first. A page of the list starts after a reservation's code, because
// row numbers would reveal how much is sold.
Task<Outcome<Done>> GetReservations(BookingRoutes routes, const Request& request, Response& response) {
  const auto asked = request.Query("userId");
  auto user = routes.identity.Require(request, asked);
  if (!user) co_return user.error();
  std::int64_t after = 0;
  std::int64_t limit = 20;
  if (const auto text = request.Query("after")) {
    const auto number = NumberOfCode(*text);
    if (!number) co_return Refused{Refusal::kInvalidField, "after: must be the code of a reservation"};
    after = *number;
  }
  if (const auto text = request.Query("limit")) {
    const auto number = ParseNumber(*text);
    if (!number || *number > 100) co_return Refused{Refusal::kInvalidField, "limit: must be 1…100"};
    limit = *number;
  }
  const auto page =
      co_await routes.manage_reservation.List(std::move(*user), after, static_cast<std::size_t>(limit));
  if (!page) co_return page.error();
  auto& body = response.body;
  body += "{\"items\":[";
  for (const auto& view : *page) {
    if (&view != &page->front()) body += ',';
    WriteReservation(body, view);
  }
  body += "],\"next\":";
  if (page->size() == static_cast<std::size_t>(limit)) {
    body.append("\"").append(CodeOf(page->back().reservation.number)).append("\"}");
  } else {
    body += "null}";
  }
  co_return Done{};
}

Task<Outcome<Done>> PostExtension(BookingRoutes routes, const Request& request, Response& response) {
  auto ref = FindOwned(routes.identity, request);
  if (!ref) co_return ref.error();
  const auto reservation = co_await routes.manage_reservation.Extend(std::move(*ref));
  if (!reservation) co_return reservation.error();
  const auto view = co_await routes.manage_reservation.Show(*reservation);
  WriteReservation(response.body, view);
  co_return Done{};
}

Task<Outcome<Done>> DeleteReservation(BookingRoutes routes, const Request& request, Response& response) {
  auto ref = FindOwned(routes.identity, request);
  if (!ref) co_return ref.error();
  const auto reservation = co_await routes.manage_reservation.Cancel(std::move(*ref));
  if (!reservation) co_return reservation.error();
  const auto view = co_await routes.manage_reservation.Show(*reservation);
  WriteReservation(response.body, view);
  co_return Done{};
}

// The version of a schedule's seats is its entity tag.
std::string_view FormatTag(std::uint64_t version, char (&buffer)[32]) {
  buffer[0] = '"';
  char* end = std::to_chars(buffer + 1, buffer + 30, version).ptr;
  *end++ = '"';
  return {buffer, static_cast<std::size_t>(end - buffer)};
}

// Answers 304 if the client has the newest version, and takes no lock of the concert. False: GetSeats() must
// answer.
bool SeatsUnchanged(const BookingRoutes& routes, const Request& request, Response& response) {
  const auto known = request.Header("If-None-Match");
  if (known.empty()) return false;
  response.cache = "no-cache";
  const auto id = ParseNumber(request.params[0]);
  if (!id) return false;
  const auto version = routes.read_seats.Version(*id);
  if (!version) return false;
  char buffer[32];
  const auto tag = FormatTag(*version, buffer);
  if (!MatchesTag(known, tag)) return false;
  response.status = 304;
  response.AddHeader("ETag", tag);
  return true;
}

Task<Outcome<Done>> GetSeats(BookingRoutes routes, const Request& request, Response& response) {
  const auto id = ParseNumber(request.params[0]);
  if (!id) co_return Refused{Refusal::kScheduleNotFound, std::string(request.params[0])};
  if (!routes.read_seats.Version(*id)) {
    const auto looked = co_await routes.read_seats.LoadMissing(*id);
    if (!looked) co_return looked.error();
  }
  response.cache = "no-cache";  // the browser caches it, and revalidates it each time
  char buffer[32];
  if (const auto since = request.Query("since")) {
    const auto version = ParseNumber(*since);
    if (!version) co_return Refused{Refusal::kInvalidField, "since: must be the version of a seat map"};
    const auto changes = routes.read_seats.Since(*id, static_cast<std::uint64_t>(*version));
    if (!changes) co_return changes.error();
    if (*changes) {
      response.AddHeader("ETag", FormatTag((*changes)->version, buffer));
      WriteSeatChanges(response.body, *id, **changes);
      co_return Done{};
    }
  }
  const auto form = request.Query("form").value_or("full");
  if (form != "full" && form != "compact")
    co_return Refused{Refusal::kInvalidField, "form: must be full or compact"};
  const auto page = routes.seats_pages.Get(*id, form == "full" ? SeatsForm::kFull : SeatsForm::kCompact);
  if (!page) co_return page.error();
  const auto coding = (*page)->body.size() < kLeastCoded ? Coding::kIdentity
                                                         : AcceptedCoding(request.Header("Accept-Encoding"));
  const auto tag = FormatTag((*page)->version, buffer);
  response.AddHeader("ETag", coding == Coding::kIdentity ? std::string(tag) : WeakTag(tag));
  response.AddHeader("Vary", "Accept-Encoding");
  // A rendered page may be older than the newest version of the seats, so the client may have this page
  // already.
  if (MatchesTag(request.Header("If-None-Match"), tag)) {
    response.status = 304;
    co_return Done{};
  }
  response.shared_body =
      coding == Coding::kIdentity ? SeatsPage::Share(*page) : routes.seats_pages.GetCoded(*page, coding);
  if (coding != Coding::kIdentity) response.AddHeader("Content-Encoding", Name(coding));
  co_return Done{};
}

Outcome<BestAvailable> ReadWish(const Request& request) {
  BestAvailable wish;
  if (const auto text = request.Query("count")) {
    const auto count = ParseNumber(*text);
    if (!count || *count > kMaxSeatsPerHold)
      return Refused{Refusal::kInvalidField, "count: must be 1…" + std::to_string(kMaxSeatsPerHold)};
    wish.count = static_cast<std::int32_t>(*count);
  }
  if (const auto text = request.Query("maxPrice")) {
    wish.max_price = ParseNumber(*text, 0);
    if (!wish.max_price || *wish.max_price > kPrices.max)
      return Refused{Refusal::kInvalidField, "maxPrice: must be a price"};
  }
  wish.section = request.Query("section");
  return wish;
}

Task<Outcome<Done>> GetBestSeats(BookingRoutes routes, const Request& request, Response& response) {
  const auto id = ParseNumber(request.params[0]);
  if (!id) co_return Refused{Refusal::kScheduleNotFound, std::string(request.params[0])};
  const auto wish = ReadWish(request);
  if (!wish) co_return wish.error();
  if (!routes.read_seats.Version(*id)) {
    const auto looked = co_await routes.read_seats.LoadMissing(*id);
    if (!looked) co_return looked.error();
  }
  const auto best = routes.read_seats.FindBestSeats(*id, *wish);
  if (!best) co_return best.error();
  WriteBestSeats(response.body, *best);
  co_return Done{};
}

using Endpoint = Task<Outcome<Done>> (*)(BookingRoutes, const Request&, Response&);

Handler Bind(BookingRoutes routes, Endpoint endpoint) {
  return [routes, endpoint](const Request& request, Response& response) {
    return endpoint(routes, request, response);
  };
}

}  // namespace

void AddBookingRoutes(Router& router, BookingRoutes routes) {
  const auto add = [&](Method method, const char* pattern, Access access, Priority priority,
                       Handler handler) {
    router.Add({.method = method,
                .pattern = pattern,
                .access = access,
                .priority = priority,
                .handler = std::move(handler)});
  };
  const auto read = [&](const char* pattern, Endpoint endpoint) {
    router.Add({.pattern = pattern, .handler = Bind(routes, endpoint), .has_age = true});
  };
  const auto bind = [&](Endpoint endpoint) { return Bind(routes, endpoint); };
  const auto once = [&](Endpoint endpoint) { return routes.idempotency.ForOperators(bind(endpoint)); };
  using enum Method;
  constexpr auto kAdmin = Access::kAdmin;
  constexpr auto kPublic = Access::kPublic;
  add(kPost, "/api/v1/concerts", kAdmin, Priority::kAlways, once(PostConcert));
  add(kPost, "/api/v1/concerts/{id}/schedules", kAdmin, Priority::kAlways, once(PostSchedules));
  router.Add({.method = kPost,
              .pattern = "/api/v1/concerts/{id}/schedules/import",
              .access = kAdmin,
              .priority = Priority::kAlways,
              .upload = [routes](const Request& request, BodyReader& body, Response& response) {
                return ImportSeatPlans(routes, request, body, response);
              }});
  add(kPost, "/api/v1/concerts/{id}/open", kAdmin, Priority::kAlways, bind(PostOpen));
  read("/api/v1/concerts", GetConcerts);
  router.Add({.method = kGet,
              .pattern = "/api/v1/admin/concerts",
              .access = kAdmin,
              .priority = Priority::kAlways,
              .handler = bind(GetAllConcerts),
              .has_age = true});
  read("/api/v1/concerts/{id}", GetConcert);
  const auto hold = routes.idempotency.ForFans(CallerByUserOrQueueToken(routes.identity, routes.keys),
                                               bind(PostReservation));
  for (const char* pattern : {"/api/v1/reservations", "/reservations"}) {
    add(kPost, pattern, kPublic, Priority::kHold, hold);
  }
  const auto owner = CallerByUserOrReservation(routes.identity);
  add(kPost, "/api/v1/reservations/{id}/payment", kPublic, Priority::kPay,
      routes.idempotency.ForFans(owner, bind(PostPayment)));
  add(kPost, "/api/v1/reservations/{id}/extension", kPublic, Priority::kHold,
      routes.idempotency.ForFans(owner, bind(PostExtension)));
  add(kGet, "/api/v1/reservations", kPublic, Priority::kPoll, bind(GetReservations));
  read("/api/v1/schedules/{id}/best", GetBestSeats);
  add(kGet, "/api/v1/reservations/{id}", kPublic, Priority::kHold, bind(GetReservation));
  add(kDelete, "/api/v1/reservations/{id}", kPublic, Priority::kRefund, bind(DeleteReservation));

  router.Add(
      {.method = kGet,
       .pattern = "/api/v1/schedules/{id}/seats",
       .handler = Bind(routes, GetSeats),
       .inline_handler = [routes](const Request& request,
                                  Response& response) { return SeatsUnchanged(routes, request, response); },
       .has_age = true});
  router.Add({.method = kGet,
              .pattern = "/api/v1/schedules/{id}/seats/stream",
              .stream = [&streams = routes.seat_streams](const Request& request,
                                                         std::shared_ptr<EventStream> listener) {
                return streams.Listen(request, std::move(listener));
              }});
}

}  // namespace maejin::http
