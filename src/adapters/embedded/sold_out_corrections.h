// Corrections of sell-outs in the data folder.
#pragma once

#include <mutex>
#include <string>
#include <unordered_set>

#include "adapters/embedded/imported_ids.h"
#include "adapters/embedded/journal.h"
#include "store/sold_out_corrections.h"

namespace maejin::embedded {

class EmbeddedSoldOutCorrections final : public SoldOutCorrections {
 public:
  // The journal outlives it; `database` is the file that it writes to. Throws SqliteError.
  EmbeddedSoldOutCorrections(Journal& journal, std::string database);
  // Call before anything else.
  void ReserveIdsWith(ReserveIds reserve_ids) { reserve_ids_ = std::move(reserve_ids); }

  Task<Outcome<Done>> Remove(ConcertId concert, Time now) override;
  Task<Outcome<Done>> Correct(SoldOutHistory history) override;
  // True: an operator removed the sell-out. An import skips it.
  bool IsRemoved(ConcertId concert) const;

 private:
  enum class Found { kNone, kOwn, kImported };
  Outcome<Found> Find(ConcertId concert) const;
  // Refuses: kInvalidField (a date has the id of another concert's date).
  Outcome<Done> TakeIds(const SoldOutHistory& history);

  Journal& journal_;
  const std::string database_;
  ReserveIds reserve_ids_;
  mutable std::mutex mutex_;
  std::unordered_set<ConcertId> removed_;  // guarded by mutex_
};

}  // namespace maejin::embedded
