// Posters or logos in the database, with a table of them in the memory of each node.
#pragma once

#include "adapters/mysql/pool.h"
#include "store/picture_table.h"

namespace maejin::mysql {

class MysqlPictureStore final : public PictureStore {
 public:
  // The pool outlives it. Call Refresh() before the first FindAtOnce().
  MysqlPictureStore(PictureKind kind, Pool& pool) : kind_(kind), pool_(pool) {}

  Task<Outcome<Done>> Put(ConcertId concert, std::string version, Picture picture, Operator actor) override;
  Task<Outcome<Done>> PutCopy(ConcertId concert, std::string version, Picture picture) override;
  Task<Outcome<Done>> Remove(ConcertId concert, Operator actor) override;
  std::optional<StoredPicture> FindAtOnce(ConcertId concert) const override { return table_.Find(concert); }
  Task<Outcome<Picture>> Read(ConcertId concert, std::string version, std::int32_t width) override;

  // Reads the pictures of all nodes, without their bytes. Call about every second. Throws MysqlError.
  void Refresh(Connection& connection);

 private:
  const PictureKind kind_;
  Pool& pool_;
  PictureTable table_;
};

}  // namespace maejin::mysql
