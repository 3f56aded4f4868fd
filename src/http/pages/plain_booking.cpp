#include "http/pages/plain_booking.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/ids.h"
#include "base/random.h"
#include "domain/booking/reservation_code.h"
#include "domain/booking/ticket.h"
#include "http/booking/json.h"
#include "http/booking/qr_code.h"
#include "http/cookies.h"
#include "http/pages/page_words.h"
#include "http/parse_number.h"

namespace maejin::http {
namespace {

// The page with JavaScript has the same limit of seats.
constexpr std::int64_t kMostPlainSeats = 6;
constexpr std::size_t kMostBookings = 100;
constexpr std::size_t kLongestFormKey = 64;

std::string ShownDate(Date date, const std::optional<Time>& starts_at, const TimeZone& zone) {
  return starts_at ? LocalTime(zone, *starts_at) : FormatDate(date);
}

std::int64_t MostSeats(const PlainConcert& concert) {
  return concert.max_seats > 0 ? std::min(concert.max_seats, kMostPlainSeats) : kMostPlainSeats;
}

std::string DateOptions(const PlainConcert& concert, const TimeZone& zone, const PageWords& words) {
  std::string options;
  for (const auto& date : concert.shows) {
    if (date.ended) continue;
    const auto left = fmt::format(fmt::runtime(words.seats_left), date.available);
    options +=
        fmt::format("<option value=\"{}\"{}>{} · {}</option>", date.id, date.available > 0 ? "" : " disabled",
                    EscapeHtml(ShownDate(date.date, date.starts_at, zone)), left);
  }
  return options;
}

std::string CountOptions(std::int64_t most) {
  std::string options;
  for (std::int64_t n = 1; n <= most; ++n)
    options +=
        fmt::format("<option{}>{}</option>", n == std::min<std::int64_t>(2, most) ? " selected" : "", n);
  return options;
}

std::string LabelsOf(const ReservationView& view) {
  std::vector<std::string> labels;
  for (const auto seat : view.reservation.seats) labels.push_back(view.show->layout->LabelOf(seat));
  return fmt::format("{}", fmt::join(labels, ", "));
}

std::string TicketsHtml(const ReservationView& view, const KeyRing& keys) {
  std::string html;
  for (const auto seat : view.reservation.seats) {
    const auto text =
        WriteTicket(keys, {view.reservation.number, view.reservation.schedule, seat, view.show->date});
    html += fmt::format("<li><p><strong>{}</strong></p>{}</li>", EscapeHtml(view.show->layout->LabelOf(seat)),
                        QrSvg(text));
  }
  return html;
}

std::string_view StateWord(const Reservation& reservation, const PageWords& words) {
  if (reservation.Unpaid()) return words.to_pay;
  return reservation.status == ReservationStatus::kConfirmed ? words.ticket : words.cancelled;
}

std::string BookingItem(std::string_view event, const ReservationView& view, const TimeZone& zone,
                        Language language) {
  const auto& reservation = view.reservation;
  return fmt::format("<li><a href=\"/events/{}/bookings/{}\">{}</a> · {} · {} · {}</li>", event,
                     reservation.id.ToString(), EscapeHtml(StateWord(reservation, WordsIn(language))),
                     EscapeHtml(ShownDate(view.show->date, view.show->starts_at, zone)),
                     EscapeHtml(LabelsOf(view)), EscapeHtml(MoneyText(reservation.amount, language)));
}

// The page of a booking's state.
std::string_view TemplateOf(const Reservation& reservation) {
  switch (reservation.status) {
    case ReservationStatus::kHeld:
      return "plain-hold.html";
    case ReservationStatus::kPaying:
      return "plain-paying.html";
    case ReservationStatus::kConfirmed:
      return "plain-ticket.html";
    case ReservationStatus::kExpired:
      return "plain-expired.html";
    case ReservationStatus::kCancelled:
      return "plain-released.html";
    case ReservationStatus::kRefunded:
      break;
  }
  return reservation.refund_due ? "plain-refunding.html" : "plain-refunded.html";
}

// Seconds until the browser refreshes the page; 0: never. The page of a hold is refreshed soon after the
// deadline, so that it shows the expiry.
std::int64_t RefreshAfter(const Reservation& reservation, Time now) {
  if (reservation.status == ReservationStatus::kPaying || reservation.refund_due) return 3;
  if (reservation.status != ReservationStatus::kHeld) return 0;
  const auto left = std::chrono::ceil<Seconds>(reservation.expires_at - now).count();
  return std::clamp<std::int64_t>(left + 1, 2, 20);
}

}  // namespace

Task<Outcome<bool>> PlainBooking::IsInside(const PlainConcert* concert, std::string token) const {
  if (!concert->has_room) co_return true;
  if (token.empty()) co_return false;
  VisitorCommand visitor{RoomId(concert->room), {}, std::move(token)};
  const auto place = co_await poll_(std::move(visitor));
  if (place.ok()) co_return place->report.answer.standing.status == PlaceStatus::kEntered;
  if (place.error().why == Refusal::kUnavailable) co_return place.error();
  co_return false;
}

Task<Outcome<Done>> PlainBooking::ShowSeats(const Request& request, Response& response) const {
  const auto event = request.params[0];
  const auto concert = pages_.concert(event);
  if (!concert) co_return Refused(Refusal::kConcertNotFound, std::string(event));
  if (concert->status == ConcertStatus::kScheduled) {
    SendTo(response, event, "", Code(Refusal::kNotOpen));
    co_return Done{};
  }
  std::string token(FindCookie(request.Header("Cookie"), kPlainPlaceCookie));
  const auto inside = co_await IsInside(&*concert, std::move(token));
  if (!inside.ok()) co_return inside.error();
  if (!*inside || SaleEndOf(concert->status) != SaleEnd::kNone) {
    SendTo(response, event, "");
    co_return Done{};
  }
  const auto language = PageLanguage(request);
  SystemRandom random;
  auto texts = TextsOf(*concert, request, *library_);
  texts.push_back({"dates", DateOptions(*concert, pages_.zone, WordsIn(language)), true});
  texts.push_back({"counts", CountOptions(MostSeats(*concert)), true});
  texts.push_back({"limit", std::to_string(MostSeats(*concert))});
  texts.push_back({"price", MoneyText(concert->price_from, language)});
  texts.push_back({"key", Id128::Random(random).ToString()});
  library_->AnswerFilled("plain-seats.html", texts, request, response);
  co_return Done{};
}

Task<Outcome<Done>> PlainBooking::Hold(const Request& request, Response& response) const {
  const auto event = request.params[0];
  if (const auto own = CheckForm(pages_, request); !own.ok()) co_return own.error();
  const auto concert = pages_.concert(event);
  if (!concert) co_return Refused(Refusal::kConcertNotFound, std::string(event));
  const auto field = FormField(request.body, "schedule");
  const auto schedule = ParseNumber(field.value_or(""));
  const auto count = ParseNumber(FormField(request.body, "count").value_or(""));
  auto key = FormField(request.body, "key").value_or("");
  if (!count || *count > MostSeats(*concert))
    co_return Refused(Refusal::kInvalidField, fmt::format("count: must be 1…{}", MostSeats(*concert)));
  if (key.size() > kLongestFormKey) co_return Refused(Refusal::kInvalidField, "key: is too long");
  if (field && !schedule) co_return Refused(Refusal::kInvalidField, "schedule: must be a date's id");
  if (!schedule) {  // no date could be chosen: all were sold out or ended
    SendTo(response, event, "/seats", Code(Refusal::kSoldOut));
    co_return Done{};
  }
  auto user = PlainFan(pages_, request, response);
  if (!user.ok()) co_return user.error();
  HoldCommand command;
  command.request.schedule = *schedule;
  command.request.best = BestAvailable{static_cast<std::int32_t>(*count)};
  command.request.idempotency_key = std::move(key);
  command.user = std::move(*user);
  command.token = FindCookie(request.Header("Cookie"), kPlainPlaceCookie);
  const auto held = co_await parts_.hold(std::move(command));
  if (held.ok()) {
    SendTo(response, event, "/bookings/" + held->id.ToString());
    co_return Done{};
  }
  const auto why = held.error().why;
  if (!IsAboutState(why)) co_return held.error();
  const bool outside = why == Refusal::kPassRequired || why == Refusal::kTokenInvalid;
  SendTo(response, event, outside ? "" : "/seats", Code(why));
  co_return Done{};
}

Task<Outcome<Done>> PlainBooking::List(const Request& request, Response& response) const {
  const auto event = request.params[0];
  const auto concert = pages_.concert(event);
  if (!concert) co_return Refused(Refusal::kConcertNotFound, std::string(event));
  auto user = PlainFan(pages_, request, response);
  if (!user.ok()) co_return user.error();
  const auto found = co_await parts_.manage.List(std::move(*user), 0, kMostBookings);
  if (!found.ok()) co_return found.error();
  std::string items;
  for (const auto& view : *found) {
    if (view.reservation.concert != concert->id) continue;
    if (!view.show) co_return Refusal::kUnavailable;
    items += BookingItem(event, view, pages_.zone, PageLanguage(request));
  }
  auto texts = TextsOf(*concert, request, *library_);
  const bool none = items.empty();
  texts.push_back({"list", std::move(items), true});
  library_->AnswerFilled(none ? "plain-no-bookings.html" : "plain-bookings.html", texts, request, response);
  co_return Done{};
}

Outcome<ReservationRef> PlainBooking::Find(const Request& request, Response& response) const {
  const auto id = Id128::Parse(request.params[1]);
  if (!id) return Refused(Refusal::kReservationNotFound, std::string(request.params[1]));
  auto user = PlainFan(pages_, request, response);
  if (!user.ok()) return user.error();
  return ReservationRef{*id, std::move(*user)};
}

std::vector<PageText> PlainBooking::BookingTexts(const ReservationView& view, const Request& request) const {
  const auto& reservation = view.reservation;
  const auto& show = *view.show;
  const auto language = PageLanguage(request);
  const auto left = std::chrono::ceil<Seconds>(reservation.expires_at - pages_.room.clock.Now()).count();
  // Colour and logo are the concert's. Title, artist and venue are those of the booked date.
  auto concert = pages_.concert(std::to_string(show.concert)).value_or(PlainConcert{});
  concert.title = show.title;
  concert.artist = show.artist;
  concert.venue = show.venue;
  auto texts = TextsOf(concert, request, *library_);
  texts.push_back({"booking", reservation.id.ToString()});
  texts.push_back({"date", ShownDate(show.date, show.starts_at, pages_.zone)});
  texts.push_back({"seats", LabelsOf(view)});
  texts.push_back({"amount", MoneyText(reservation.amount, language)});
  texts.push_back({"code", CodeOf(reservation.number)});
  texts.push_back({"left", fmt::format("{}:{:02}", std::max<std::int64_t>(0, left) / 60,
                                       std::max<std::int64_t>(0, left) % 60)});
  texts.push_back({"until", LocalTime(pages_.zone, reservation.expires_at)});
  if (const auto before = PreviousDate(show, reservation)) {
    const auto moved =
        fmt::format(fmt::runtime(WordsIn(language).postponed), FormatDate(*before), FormatDate(show.date));
    texts.push_back({"moved", "<p class=\"notice\">" + EscapeHtml(moved) + "</p>", true});
  }
  if (reservation.status == ReservationStatus::kConfirmed)
    texts.push_back({"tickets", TicketsHtml(view, parts_.keys), true});
  return texts;
}

Task<Outcome<Done>> PlainBooking::Show(const Request& request, Response& response) const {
  auto ref = Find(request, response);
  if (!ref.ok()) co_return ref.error();
  auto found = co_await parts_.manage.Read(std::move(*ref));
  if (!found.ok()) co_return found.error();
  const auto view = co_await parts_.manage.Show(std::move(found->reservation));
  if (!view.show) co_return Refusal::kUnavailable;
  const auto& reservation = view.reservation;
  const auto again = RefreshAfter(reservation, pages_.room.clock.Now());
  if (again > 0) response.AddHeader("Refresh", std::to_string(again));
  const bool asks = reservation.status == ReservationStatus::kConfirmed && request.Query("cancel");
  library_->AnswerFilled(asks ? "plain-cancel.html" : TemplateOf(reservation), BookingTexts(view, request),
                         request, response);
  co_return Done{};
}

Task<Outcome<Done>> PlainBooking::Pay(ReservationRef ref, RequestTrace trace) const {
  const auto found = co_await parts_.manage.Read(ref);
  if (!found.ok()) co_return found.error();
  PaymentRequest payment;
  payment.amount = found->reservation.amount;
  payment.method = "card";
  const auto paid = co_await parts_.pay(std::move(ref), std::move(payment), std::move(trace));
  if (!paid.ok()) co_return paid.error();
  co_return Done{};
}

Task<Outcome<Done>> PlainBooking::End(ReservationRef ref, bool paid) const {
  const auto found = co_await parts_.manage.Read(ref);
  if (!found.ok()) co_return found.error();
  // The form is of a stale page: nothing is cancelled, and the browser is sent to the current page.
  const bool is_paid = found->reservation.status == ReservationStatus::kConfirmed;
  if (!found->reservation.Living() || is_paid != paid) co_return Done{};
  const auto ended = co_await parts_.manage.Cancel(std::move(ref));
  if (!ended.ok()) co_return ended.error();
  co_return Done{};
}

Task<Outcome<Done>> PlainBooking::Act(const Request& request, Response& response) const {
  if (const auto own = CheckForm(pages_, request); !own.ok()) co_return own.error();
  auto ref = Find(request, response);
  if (!ref.ok()) co_return ref.error();
  const auto booking = "/bookings/" + std::string(request.params[1]);
  const auto verb = FormField(request.body, "do").value_or("");
  Outcome<Done> done = Refused(Refusal::kInvalidField, "do: must be pay, release or cancel");
  if (verb == "pay") {
    RequestTrace trace{std::string(request.request_id), std::string(request.traceparent)};
    done = co_await Pay(std::move(*ref), std::move(trace));
  } else if (verb == "release" || verb == "cancel") {
    done = co_await End(std::move(*ref), verb == "cancel");
  }
  if (!done.ok() && !IsAboutState(done.error().why)) co_return done.error();
  SendTo(response, request.params[0], booking, done.ok() ? std::string_view() : Code(done.error().why));
  co_return Done{};
}

}  // namespace maejin::http
