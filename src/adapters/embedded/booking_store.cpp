#include "adapters/embedded/booking_store.h"

#include "adapters/embedded/booking_loading.h"

namespace maejin::embedded {

void EmbeddedBookingStore::Load(Connection& connection, Time now) {
  LoadBookings(connection, now, sales_, journal_);
}

void EmbeddedBookingStore::ExpireHolds(Time now) {
  if (!journal_.Accepting()) return;
  journal_.NoticePause(now);
  for (auto* sale : sales_.AllSales()) {
    if (sale->opens_ms.load(std::memory_order_relaxed) <= ToMillis(now)) {
      journal_.Transit(*sale, now, [&](Concert&, TransitBuffers& buffers) -> Outcome<Done> {
        SaleJournal::RecordOpening(*sale, now, buffers);
        return Done{};
      });
    }
    while (sale->next_due_ms.load(std::memory_order_relaxed) <= ToMillis(now)) {
      journal_.Transit(*sale, now, [](Concert&, TransitBuffers&) -> Outcome<Done> { return Done{}; });
    }
  }
}

}  // namespace maejin::embedded
