// Erases persons from the bookings in memory and on disk.
#pragma once

#include "adapters/embedded/booking_store.h"
#include "store/person_store.h"

namespace maejin::embedded {

class EmbeddedPersonStore final : public PersonStore {
 public:
  // Both outlive it.
  EmbeddedPersonStore(EmbeddedBookingStore& bookings, Random& random)
      : sales_(bookings.sales_), journal_(bookings.journal_), random_(random) {}

  Task<Outcome<std::int64_t>> Erase(Erasure erasure, Operator actor) override;
  Task<Outcome<std::int64_t>> ErasePast(Time before, std::size_t limit, Operator actor) override;

 private:
  SaleRegistry& sales_;
  SaleJournal& journal_;
  Random& random_;
};

}  // namespace maejin::embedded
