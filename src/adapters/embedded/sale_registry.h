// Finds concerts, dates, reservations and payments by id, and assigns new ids.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "adapters/embedded/booking_directory.h"
#include "adapters/embedded/booking_sale.h"

namespace maejin::embedded {

// Thread-safe. Entries are never removed, and keep their addresses.
class SaleRegistry {
 public:
  struct ReservationLocation {
    Sale* sale;
    Concert::ReservationIndex index;
  };
  struct PaymentLocation {
    Sale* sale;
    Concert::PaymentIndex index;
  };

  // Null: there is no such concert or schedule.
  Sale* FindSale(ConcertId concert) const;
  ScheduleEntry* FindEntry(ScheduleId schedule) const;
  std::vector<Sale*> AllSales() const;
  // At most `limit` concerts with ids above `after`, ascending.
  std::vector<std::pair<ConcertId, Sale*>> PageOfSales(ConcertId after, std::size_t limit) const;
  void Enter(std::unique_ptr<Sale> sale);
  // Registers the dates that were added to the concert. Call with the concert's lock held.
  void RegisterSchedules(Sale& sale);

  // Makes a new reservation findable by its id and its user.
  void RegisterReservation(const Reservation& reservation, ReservationLocation location) {
    reservations.Add(reservation.id, location);
    by_user.Add(reservation.user, location);
  }

  Directory<ReservationLocation> reservations;
  UserDirectory<ReservationLocation> by_user;
  Directory<PaymentLocation> payments;

  // Held from assigning the id of a concert or schedule until the id can be found.
  std::mutex ids_mutex;
  ConcertId next_concert = 1;    // guarded by ids_mutex
  ScheduleId next_schedule = 1;  // guarded by ids_mutex
  std::atomic<std::int64_t> next_reservation{1};
  std::atomic<std::int64_t> next_payment{1};

 private:
  mutable std::shared_mutex mutex_;
  std::map<ConcertId, std::unique_ptr<Sale>> sales_;                        // guarded by mutex_
  std::unordered_map<ScheduleId, std::unique_ptr<ScheduleEntry>> entries_;  // guarded by mutex_
};

// Refuses: kReservationNotFound. The caller's access is checked later, under the concert's lock.
inline Outcome<SaleRegistry::ReservationLocation> FindReservationOf(const SaleRegistry& sales,
                                                                    const ReservationRef& ref) {
  const auto location = sales.reservations.Find(ref.reservation);
  if (!location) return Refusal::kReservationNotFound;
  return *location;
}

}  // namespace maejin::embedded
