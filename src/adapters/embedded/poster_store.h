// Posters in the embedded database.
#pragma once

#include <mutex>

#include "adapters/embedded/audit_log.h"
#include "adapters/embedded/journal.h"
#include "store/poster_table.h"

namespace maejin::embedded {

class EmbeddedPosterStore final : public PosterStore {
 public:
  // Loads the table. Journal and log outlive it. Throws SqliteError.
  EmbeddedPosterStore(const std::string& database, Journal& journal, AuditLog& audit);

  Task<Outcome<Done>> Put(ConcertId concert, std::string version, Picture picture, Operator actor) override;
  Task<Outcome<Done>> PutCopy(ConcertId concert, std::string version, Picture picture) override;
  Task<Outcome<Done>> Remove(ConcertId concert, Operator actor) override;
  std::optional<PosterInfo> FindAtOnce(ConcertId concert) const override { return table_.Find(concert); }
  // Waits for the disk.
  Task<Outcome<Picture>> Read(ConcertId concert, std::string version, std::int32_t width) override;

 private:
  Outcome<Picture> ReadRow(ConcertId concert, const std::string& version, std::int32_t width);

  Journal& journal_;
  AuditLog& audit_;
  std::mutex mutex_;  // rows are appended in the order of the table's changes
  PosterTable table_;
  std::mutex reading_;
  Connection reader_;  // guarded by reading_
};

}  // namespace maejin::embedded
