// The answer to an operator's action: the concert as the mirror shows it after the commit.
#pragma once

#include "adapters/mysql/booking_context.h"

namespace maejin::mysql {

inline Task<Outcome<ConcertView>> ViewOf(const BookingContext& context, Task<Outcome<ConcertId>> changed,
                                         Time now) {
  const auto id = co_await std::move(changed);
  if (!id) co_return id.error();
  co_return context.mirror.Find(*id, now);
}

}  // namespace maejin::mysql
