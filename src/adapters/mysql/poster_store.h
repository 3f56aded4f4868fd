// Posters in the database, with a table of them in the memory of each node.
#pragma once

#include "adapters/mysql/pool.h"
#include "store/poster_table.h"

namespace maejin::mysql {

class MysqlPosterStore final : public PosterStore {
 public:
  // The pool outlives it. Call Refresh() before the first FindAtOnce().
  explicit MysqlPosterStore(Pool& pool) : pool_(pool) {}

  Task<Outcome<Done>> Put(ConcertId concert, std::string version, Picture picture, Operator actor) override;
  Task<Outcome<Done>> PutCopy(ConcertId concert, std::string version, Picture picture) override;
  Task<Outcome<Done>> Remove(ConcertId concert, Operator actor) override;
  std::optional<PosterInfo> FindAtOnce(ConcertId concert) const override { return table_.Find(concert); }
  Task<Outcome<Picture>> Read(ConcertId concert, std::string version, std::int32_t width) override;

  // Reads the posters of all nodes, without pictures. Call about every second. Throws MysqlError.
  void Refresh(Connection& connection);

 private:
  Pool& pool_;
  PosterTable table_;
};

}  // namespace maejin::mysql
