// The rows of a data folder, for moving them to another store or taking them from one.
#pragma once

#include <map>
#include <string>

#include "adapters/embedded/sqlite.h"
#include "store/moved_data.h"

namespace maejin::embedded {

class EmbeddedDataSource final : public DataSource {
 public:
  // Sees the database of one moment, whatever a server does to it meanwhile. Throws SqliteError.
  explicit EmbeddedDataSource(const std::string& database);
  void Read(const MovedTable& table, const std::function<void(const MovedRow&)>& take) override;

 private:
  Connection connection_;
};

class EmbeddedDataTarget final : public DataTarget {
 public:
  // Creates the database where there is none. The folder's lock is the caller's. Throws SqliteError.
  explicit EmbeddedDataTarget(const std::string& database);
  void Read(const MovedTable& table, const std::function<void(const MovedRow&)>& take) override;
  bool Empty() override;
  void Write(const MovedTable& table, const std::vector<MovedRow>& rows) override;
  // Nothing is derived: a start reads the rows.
  void Finish() override {}
  void Commit() override { connection_.Execute("COMMIT"); }

 private:
  Connection connection_;
};

}  // namespace maejin::embedded
