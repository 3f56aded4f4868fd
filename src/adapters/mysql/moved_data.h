// The rows of the database, for moving them to another store or taking them from one.
#pragma once

#include "adapters/mysql/connection.h"
#include "store/moved_data.h"

namespace maejin::mysql {

class MysqlDataSource final : public DataSource {
 public:
  // Reads one snapshot of the database; later writes are not seen. Throws MysqlError.
  explicit MysqlDataSource(const ServerOptions& server);
  void Read(const MovedTable& table, const std::function<void(const MovedRow&)>& take) override;

 private:
  Connection connection_;
};

class MysqlDataTarget final : public DataTarget {
 public:
  // Brings the schema up to date. Throws MysqlError.
  explicit MysqlDataTarget(const ServerOptions& server);
  void Read(const MovedTable& table, const std::function<void(const MovedRow&)>& take) override;
  bool Empty() override;
  void Write(const MovedTable& table, const std::vector<MovedRow>& rows) override;
  // Computes seats, counts, sell-outs and deadlines from the moved rows.
  void Finish() override;
  void Commit() override { connection_.Command("COMMIT"); }

 private:
  Connection connection_;
};

}  // namespace maejin::mysql
