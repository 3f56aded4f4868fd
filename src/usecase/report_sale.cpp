#include "usecase/report_sale.h"

namespace maejin {
namespace {

constexpr std::size_t kReservationsAtOnce = 10'000;
constexpr std::size_t kAuditRowsAtOnce = 1'000;

}  // namespace

Task<Outcome<ConcertView>> ReportSale::Find(ConcertId concert) const {
  auto found = deps_.bookings.FindConcert(concert, deps_.clock.Now());
  if (found) co_return found;
  const auto looked = co_await deps_.bookings.LoadMissing(SaleRef::OfConcert(concert));
  if (!looked) co_return looked.error();
  co_return deps_.bookings.FindConcert(concert, deps_.clock.Now());
}

Task<Outcome<Done>> ReportSale::AddReservations(SaleReportBuilder& builder, ConcertId concert) const {
  std::int64_t after = 0;
  while (true) {
    ReservationFilter filter;
    filter.concert = concert;
    filter.after = after;
    filter.limit = kReservationsAtOnce;
    const auto page = co_await deps_.operations.ListReservations(std::move(filter));
    if (!page) co_return page.error();
    for (const auto& reservation : *page) builder.Add(reservation);
    if (page->size() < kReservationsAtOnce) co_return Done{};
    after = page->back().number;
  }
}

// The audit log is read from the newest row back; the builder checks the hash chain from the oldest row.
Task<Outcome<Done>> ReportSale::AddActions(SaleReportBuilder& builder) const {
  std::vector<AuditRow> rows;
  std::optional<std::int64_t> before;
  while (true) {
    auto page = co_await deps_.audit.Page(before, kAuditRowsAtOnce);
    if (!page) co_return page.error();
    const bool last = page->size() < kAuditRowsAtOnce;
    for (auto& row : *page) rows.push_back(std::move(row));
    if (last) break;
    before = rows.back().id;
  }
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    builder.Add(ReportAction{row->id, row->at, std::move(row->actor), std::move(row->action),
                             std::move(row->subject), std::move(row->detail), std::move(row->hash)});
  }
  co_return Done{};
}

Task<Outcome<Done>> ReportSale::AddLine(SaleReportBuilder& builder, ConcertId concert) const {
  const auto name = RoomOf(concert);
  auto tally = co_await deps_.rooms.ReadTally(name, deps_.clock.Now());
  if (!tally) co_return tally.error();
  const auto info = co_await deps_.rooms.Read(name, deps_.clock.Now());
  if (!info) co_return info.error();
  builder.SetLine(std::move(*tally), info->draws);
  co_return Done{};
}

Task<Outcome<SaleReport>> ReportSale::operator()(ConcertId id) const {
  const auto concert = co_await Find(id);
  if (!concert) co_return concert.error();
  const auto& details = concert->details;
  std::vector<ReportDate> dates;
  for (const auto& schedule : concert->schedules) {
    auto seats = deps_.bookings.ReadSeats(schedule.id);
    if (!seats) co_return seats.error();
    const auto opened_at = schedule.booking_open_at ? schedule.booking_open_at : details.booking_open_at;
    dates.push_back({schedule.id, schedule.date, schedule.cancelled, opened_at, schedule.sold_out_at,
                     seats->layout, std::move(seats->states)});
  }
  ReportConcert about{id,
                      details.title,
                      details.artist,
                      details.venue,
                      std::string(Name(concert->status)),
                      details.booking_open_at,
                      concert->sold_out_at};
  SaleReportBuilder builder(std::move(about), std::move(dates));
  const auto reserved = co_await AddReservations(builder, id);
  if (!reserved) co_return reserved.error();
  const auto acted = co_await AddActions(builder);
  if (!acted) co_return acted.error();
  if (details.room == RoomKind::kOwn) {
    const auto lined = co_await AddLine(builder, id);
    if (!lined && lined.error() == Refusal::kUnavailable) co_return lined.error();
  }
  auto refusals = co_await deps_.refusals.Read(id);
  if (!refusals) co_return refusals.error();
  builder.SetRefusals(std::move(*refusals));
  co_return builder.Finish(deps_.clock.Now());
}

}  // namespace maejin
