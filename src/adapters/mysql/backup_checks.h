// Checks the rows of a database backup without a database server.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "adapters/mysql/insert_statement.h"

namespace maejin::mysql {

// A table with an AUTO_INCREMENT column. A restore skips numbers, because the lost database may have used
// them after the backup.
struct NumberedTable {
  std::string_view name;
  std::string_view column;
  std::int64_t skipped;  // more than nodes give out between two backups
};
inline constexpr NumberedTable kNumberedTables[] = {
    {"concerts", "id", 10'000},
    {"schedules", "id", 10'000},
    {"reservations", "number", 10'000'000},
    {"payments", "number", 10'000'000},
    {"events", "number", 100'000'000},
};

// Not thread-safe. Each function throws MysqlError (kDamaged) with a sentence about the first contradiction.
class BackupChecks {
 public:
  // Takes a statement of the file, in the order of the file.
  void Take(const std::string& statement);
  // Call after the last statement. Checks the end of the audit chain, that each captured payment has its own
  // CONFIRMED reservation and the other way round, and that each held or assigned seat belongs to exactly the
  // living reservation that lists it.
  void Finish() const;
  // The largest number in the taken rows of one of kNumberedTables; 0: there are none.
  std::int64_t HighestOf(const NumberedTable& table) const;

 private:
  struct Living {
    std::int64_t schedule = 0;
    bool paid = false;
    std::vector<std::int32_t> seats;
  };
  struct TakenSeat {
    std::int64_t schedule = 0;
    std::int64_t number = 0;
    std::int64_t reservation = 0;
    bool paid = false;
  };

  void TakeNumbers(const NumberedTable& table, const InsertStatement& statement);
  void TakeAudit(const InsertStatement& statement);
  void TakeAuditHead(const InsertStatement& statement);
  void TakePayments(const InsertStatement& statement);
  void TakeReservations(const InsertStatement& statement);
  void TakeSeats(const InsertStatement& statement);
  void CheckPayments() const;
  void CheckSeats() const;

  std::map<std::string_view, std::int64_t> highest_;  // by the name of a numbered table
  std::int64_t last_audit_ = 0;
  std::string last_hash_;
  std::int64_t head_id_ = -1;
  std::string head_hash_;
  std::unordered_set<std::int64_t> captured_;  // reservations with a captured payment
  std::unordered_map<std::int64_t, Living> living_;
  std::vector<TakenSeat> taken_;
};

}  // namespace maejin::mysql
