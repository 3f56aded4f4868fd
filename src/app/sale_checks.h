// Checks of one sale before its opening: the concert, its room, the last rehearsal, and the services that it
// needs.
#pragma once

#include <vector>

#include "app/back_ends.h"
#include "base/task.h"
#include "config/config.h"
#include "domain/finding.h"

namespace maejin::app {

// `maejin rehearse` creates its concert with this artist and with a title that begins like this.
inline constexpr std::string_view kRehearsalTitle = "Rehearsal ";
inline constexpr std::string_view kRehearsalArtist = "maejin rehearse";

// The newest rehearsal on this server; absent: none. Reads every concert: call it on a thread that may block.
std::optional<ConcertView> LastRehearsal(const BookingStore& bookings, Time now);

// Refuses: kConcertNotFound, kUnavailable. The references outlive the task.
Task<Outcome<std::vector<Finding>>> ExamineSale(const config::Config& config, const BackEnds::Ports& ports,
                                                ConcertId concert, std::optional<ConcertView> last_rehearsal);

// Whether the payment provider's address accepts a connection. Blocks for at most two seconds.
Finding CheckPayment(const config::Config& config);

}  // namespace maejin::app
