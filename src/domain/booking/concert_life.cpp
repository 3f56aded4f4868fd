#include "domain/booking/concert_life.h"

#include <algorithm>
#include <array>

namespace maejin {
namespace {

constexpr std::array<std::string_view, 3> kRooms = {"own", "main", "none"};
constexpr std::array<std::string_view, 5> kStatuses = {"SCHEDULED", "OPEN", "SOLD_OUT", "CLOSED",
                                                       "CANCELLED"};
constexpr std::array<std::string_view, 4> kSaleEnds = {"", "sold-out", "closed", "cancelled"};

}  // namespace

std::string_view Name(RoomKind room) { return kRooms[static_cast<std::size_t>(room)]; }

std::optional<RoomKind> RoomKindOf(std::string_view name) {
  const auto* found = std::find(kRooms.begin(), kRooms.end(), name);
  if (found == kRooms.end()) return {};
  return static_cast<RoomKind>(found - kRooms.begin());
}

std::string_view Name(ConcertStatus status) { return kStatuses[static_cast<std::size_t>(status)]; }

void SaleFacts::AddDate(bool date_cancelled, Time sales_end_at, const SeatCounts& seats, Time now) {
  ++dates;
  if (date_cancelled) return;
  ++living;
  counts += seats;
  if (now >= sales_end_at) return;
  ++selling;
  on_sale += seats;
}

ConcertStatus StatusAt(const SaleFacts& sale, Time now) {
  if (sale.cancelled || (sale.dates > 0 && sale.living == 0)) return ConcertStatus::kCancelled;
  if (sale.closed) return ConcertStatus::kClosed;
  if (!sale.booking_open_at || now < *sale.booking_open_at) return ConcertStatus::kScheduled;
  if (sale.living == 0) return ConcertStatus::kOpen;
  if (sale.selling == 0) return sale.counts.SoldOut() ? ConcertStatus::kSoldOut : ConcertStatus::kClosed;
  const bool has_unpaid = sale.on_sale.available + sale.on_sale.held > 0;
  return !has_unpaid && sale.counts.assigned > 0 ? ConcertStatus::kSoldOut : ConcertStatus::kOpen;
}

std::string_view Name(SaleEnd end) { return kSaleEnds[static_cast<std::size_t>(end)]; }

SaleEnd SaleEndOf(ConcertStatus status) {
  switch (status) {
    case ConcertStatus::kSoldOut:
      return SaleEnd::kSoldOut;
    case ConcertStatus::kClosed:
      return SaleEnd::kClosed;
    case ConcertStatus::kCancelled:
      return SaleEnd::kCancelled;
    case ConcertStatus::kScheduled:
    case ConcertStatus::kOpen:
      break;
  }
  return SaleEnd::kNone;
}

Outcome<Done> ConcertLife::Open(Time now) {
  if (cancelled_) return Refusal::kConcertCancelled;
  if (closed_) return Refusal::kConcertClosed;
  if (details_.booking_open_at && *details_.booking_open_at <= now) return Refusal::kAlreadyOpen;
  details_.booking_open_at = now;
  ++life_;
  return Done{};
}

Outcome<Done> ConcertLife::Close() {
  if (cancelled_) return Refusal::kConcertCancelled;
  if (!closed_) ++life_;
  closed_ = true;
  return Done{};
}

Outcome<Done> ConcertLife::Reopen() {
  if (cancelled_) return Refusal::kConcertCancelled;
  if (!closed_) return Refusal::kNotClosed;
  closed_ = false;
  ++life_;
  return Done{};
}

Outcome<Done> ConcertLife::Change(const ConcertPatch& patch, Time now) {
  auto changed = Changed(details_, patch, life_ + 1, {.cancelled = cancelled_, .closed = closed_}, now);
  if (!changed) return changed.error();
  details_ = std::move(*changed);
  ++life_;
  return Done{};
}

void ConcertLife::RestoreState(bool cancelled, bool closed, std::int64_t life) {
  cancelled_ = cancelled;
  closed_ = closed;
  life_ = life;
}

}  // namespace maejin
