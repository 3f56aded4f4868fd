// The rows of a data folder, for moving them to another store or taking them from one.
#pragma once

#include <map>
#include <string>

#include "adapters/embedded/sqlite.h"
#include "store/moved_data.h"

namespace maejin::embedded {

class EmbeddedDataSource final : public DataSource {
 public:
  // Reads one snapshot of the database; later writes of a server are not seen. Throws SqliteError.
  explicit EmbeddedDataSource(const std::string& database);
  void Read(const MovedTable& table, const std::function<void(const MovedRow&)>& take) override;

 private:
  Connection connection_;
};

class EmbeddedDataTarget final : public DataTarget {
 public:
  // Creates the database if it is missing. The caller holds the folder's lock. Throws SqliteError.
  explicit EmbeddedDataTarget(const std::string& database);
  void Read(const MovedTable& table, const std::function<void(const MovedRow&)>& take) override;
  bool Empty() override;
  void Write(const MovedTable& table, const std::vector<MovedRow>& rows) override;
  // Nothing to do: the server derives everything from the rows at its start.
  void Finish() override {}
  void Commit() override { connection_.Execute("COMMIT"); }

 private:
  Connection connection_;
};

}  // namespace maejin::embedded
