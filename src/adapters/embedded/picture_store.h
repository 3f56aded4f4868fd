// Posters or logos in the embedded database.
#pragma once

#include <mutex>

#include "adapters/embedded/audit_log.h"
#include "adapters/embedded/journal.h"
#include "store/picture_table.h"

namespace maejin::embedded {

class EmbeddedPictureStore final : public PictureStore {
 public:
  // Loads the table. Journal and log outlive it. Throws SqliteError.
  EmbeddedPictureStore(PictureKind kind, const std::string& database, Journal& journal, AuditLog& audit);

  Task<Outcome<Done>> Put(ConcertId concert, std::string version, Picture picture, Operator actor) override;
  Task<Outcome<Done>> PutCopy(ConcertId concert, std::string version, Picture picture) override;
  Task<Outcome<Done>> Remove(ConcertId concert, Operator actor) override;
  std::optional<StoredPicture> FindAtOnce(ConcertId concert) const override { return table_.Find(concert); }
  // Waits for the disk.
  Task<Outcome<Picture>> Read(ConcertId concert, std::string version, std::int32_t width) override;

 private:
  Outcome<Picture> ReadRow(ConcertId concert, const std::string& version, std::int32_t width);

  const PictureKind kind_;
  Journal& journal_;
  AuditLog& audit_;
  std::mutex mutex_;  // rows are appended in the order of the table's changes
  PictureTable table_;
  std::mutex reading_;
  Connection reader_;  // guarded by reading_
};

}  // namespace maejin::embedded
