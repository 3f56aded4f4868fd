// Pictures of concerts in memory, without their bytes: both stores answer FindAtOnce() from this table.
// Thread-safe.
#pragma once

#include <map>
#include <shared_mutex>

#include "store/picture_store.h"

namespace maejin {

class PictureTable {
 public:
  using Pictures = std::map<ConcertId, StoredPicture>;

  // Adds one row of the database: the picture itself, or a copy of it.
  static void AddRow(Pictures& pictures, ConcertId concert, const std::string& version, PictureInfo info);

  std::optional<StoredPicture> Find(ConcertId concert) const;
  bool Has(ConcertId concert, const std::string& version) const;

  void Put(ConcertId concert, const std::string& version, PictureInfo info);
  // Ignored if the picture has another version.
  void AddCopy(ConcertId concert, const std::string& version, PictureInfo info);
  void Erase(ConcertId concert);

  // Changes with every Put, AddCopy and Erase.
  std::uint64_t changes() const;
  // Replaces the table with pictures from the database. `changes`: changes() before that read. If the table
  // has changed since, nothing happens: the next read has the change.
  void Replace(Pictures pictures, std::uint64_t changes);

 private:
  mutable std::shared_mutex mutex_;
  Pictures pictures_;          // guarded by mutex_
  std::uint64_t changes_ = 0;  // guarded by mutex_
};

// The audit row's details: {"type":"image/png","width":1200,"height":800,"bytes":90211}
std::string Describe(const Picture& picture);

}  // namespace maejin
