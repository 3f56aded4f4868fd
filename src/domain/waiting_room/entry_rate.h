// The allowance of entries under RoomSettings::rate_per_minute: credit accrues evenly and each entry spends
// some. `has_eligible`: a fan may be about to enter (room::AccruesForTurn), so that credit accrues for a
// whole turn. Not thread-safe.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "domain/waiting_room/poll_pacing.h"
#include "domain/waiting_room/settings.h"

namespace maejin {

class EntryRate {
 public:
  // How many entries the rate allows now. Precondition: settings.rate_per_minute.
  std::int64_t Allowed(const RoomSettings& settings, bool has_eligible, Time now) const;
  // When the rate allows the next entry; Time{} where it does already or there is no rate.
  Time NextAt(const RoomSettings& settings) const;

  // Adds the credit accrued until `now`. Call it before the settings or `has_eligible` change.
  void Settle(const RoomSettings& settings, bool has_eligible, Time now);
  // Subtracts one entry: one that a no-show left unused, or else credit. Precondition: Settle() was called.
  void Spend(const RoomSettings& settings);
  // Allows one more entry in place of a fan that was admitted in push mode and never seen inside.
  void AddNoShow(const RoomSettings& settings);
  void ClearNoShows() { no_shows_ = 0; }
  // Call when a phase begins: keeps at most one entry of credit.
  void Restart(Time now);

 private:
  std::int64_t Credit(const RoomSettings& settings, bool has_eligible, Time now) const;

  std::int64_t credit_ = pacing::kCreditPerEntry;
  Time credit_at_{};
  std::uint32_t no_shows_ = 0;
};

}  // namespace maejin
