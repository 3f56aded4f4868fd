// Imported sell-outs bring ids of their own, which must not be those of concerts of this server.
#pragma once

#include <functional>
#include <span>

#include "domain/booking_event.h"
#include "domain/ranking.h"

namespace maejin::embedded {

// Asked for every imported concert and its dates: kNew, or whose ids they are.
using ClaimIds = std::function<Imported(ConcertId, std::span<const ScheduleSoldOut>)>;

}  // namespace maejin::embedded
