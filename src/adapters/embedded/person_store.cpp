#include "adapters/embedded/person_store.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>

namespace maejin::embedded {
namespace {

using Location = SaleRegistry::ReservationLocation;

// Renames the reservations of `user` that `select` accepts. Returns their number.
template <class Select>
std::int64_t RenameUser(SaleRegistry& sales, SaleJournal& journal, const UserId& user,
                        const UserId& pseudonym, const Select& select) {
  std::map<Sale*, std::vector<Concert::ReservationIndex>> by_sale;
  for (const auto& location : sales.by_user.Find(user)) by_sale[location.sale].push_back(location.index);
  std::set<std::pair<const Sale*, Concert::ReservationIndex>> renamed;
  for (const auto& [sale, indices] : by_sale) {
    journal.Rewrite(*sale, [&](Concert& concert, WriteSet& rows) {
      const auto before = renamed.size();
      for (const auto index : indices) {
        if (!select(concert, concert.reservation(index))) continue;
        ConcertUpkeep::Rename(concert, index, pseudonym);
        EraseRow(rows, concert.reservation(index));
        renamed.emplace(sale, index);
      }
      if (renamed.size() - before == indices.size()) ConcertUpkeep::RenameCounts(concert, user, pseudonym);
    });
  }
  sales.by_user.Rename(user, pseudonym, [&](const Location& location) {
    return renamed.contains({location.sale, location.index});
  });
  return static_cast<std::int64_t>(renamed.size());
}

// Users of past reservations, at most `limit`.
std::vector<UserId> UsersOf(const SaleRegistry& sales,
                            const std::function<bool(const Concert&, const Reservation&)>& past,
                            std::size_t limit) {
  std::vector<UserId> users;
  for (const auto* sale : sales.AllSales()) {
    const std::lock_guard lock(sale->mutex);
    for (const auto& reservation : sale->concert.reservations()) {
      if (users.size() == limit) return users;
      if (reservation.user.starts_with(kErasedPrefix) || !past(sale->concert, reservation)) continue;
      if (std::find(users.begin(), users.end(), reservation.user) == users.end())
        users.push_back(reservation.user);
    }
  }
  return users;
}

}  // namespace

Task<Outcome<std::int64_t>> EmbeddedPersonStore::Erase(Erasure erasure, Operator actor) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  const auto all = [](const Concert&, const Reservation&) { return true; };
  const auto renamed = RenameUser(sales_, journal_, erasure.user, erasure.pseudonym, all);
  WriteSet rows;
  EraseAdmissionRows(rows, erasure.user, actor.at);
  const auto detail = fmt::format("{{\"reservations\":{}}}", renamed);
  Decided<std::int64_t> decided{
      renamed, journal_.AppendAudit(rows, {actor.at, actor.name, "user.erase", erasure.shown, detail})};
  co_return co_await journal_.WhenDurable(std::move(decided));
}

Task<Outcome<std::int64_t>> EmbeddedPersonStore::ErasePast(Time before, std::size_t limit, Operator actor) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  const Date day{std::chrono::floor<std::chrono::days>(before)};
  const auto past = [&](const Concert& concert, const Reservation& reservation) {
    if (reservation.Unpaid()) return false;
    const auto* schedule = concert.FindSchedule(reservation.schedule);
    return (schedule && schedule->date < day) || (reservation.ended_at && *reservation.ended_at < before);
  };
  std::int64_t renamed = 0;
  for (const auto& user : UsersOf(sales_, past, limit)) {
    const auto pseudonym = std::string(kErasedPrefix) + Id128::Random(random_).ToString();
    renamed += RenameUser(sales_, journal_, user, pseudonym, past);
  }
  if (renamed == 0) co_return 0;
  WriteSet rows;
  const auto detail = fmt::format("{{\"reservations\":{},\"before\":\"{}\"}}", renamed, FormatTime(before));
  const AuditEntry entry{actor.at, actor.name, "retention.erase", "reservations", detail};
  Decided<std::int64_t> decided{renamed, journal_.AppendAudit(rows, entry)};
  co_return co_await journal_.WhenDurable(std::move(decided));
}

}  // namespace maejin::embedded
