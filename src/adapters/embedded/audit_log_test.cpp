#include "adapters/embedded/audit_log.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

#include "adapters/embedded/database.h"

namespace maejin::embedded {
namespace {

class AuditLogTest : public testing::Test {
 protected:
  AuditLogTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    for (int row = 1; row <= 3; ++row) Append("detail " + std::to_string(row));
    Append("detail 4");
  }
  ~AuditLogTest() override { std::filesystem::remove_all(folder_); }

  // Each call is a new process: the chain continues after the last row.
  void Append(const std::string& detail) {
    Journal journal(OpenDatabase(path()));
    Connection reader(path(), Connection::Mode::kReadOnly);
    AuditLog audit(reader, journal);
    WriteSet rows;
    audit.Append(rows, {TimeFromMillis(1000), "admin", "room.configure", "room 7", detail});
    journal.Flush();
  }
  void Tamper(const char* sql) {
    Connection writer(path());
    writer.Execute(sql);
  }
  std::optional<std::int64_t> FirstBroken() {
    Connection reader(path(), Connection::Mode::kReadOnly);
    return AuditLog::FirstBroken(reader);
  }
  std::string path() const { return folder_ / "test.db"; }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("maejin-audit-log-" + std::to_string(getpid()));
};

TEST_F(AuditLogTest, IsWholeOverRestarts) { EXPECT_FALSE(FirstBroken()); }

TEST_F(AuditLogTest, AnyChangedColumnIsFound) {
  for (const char* change : {"at = 2000", "actor = 'eve'", "action = 'room.revoke'", "subject = 'room 8'",
                             "detail = ''", "hash = 'x'", "id = 9"}) {
    Tamper("CREATE TABLE kept AS SELECT * FROM audit");
    Tamper((std::string("UPDATE audit SET ") + change + " WHERE id = 2").c_str());
    EXPECT_EQ(FirstBroken(), 2) << change;
    Tamper("DELETE FROM audit; INSERT INTO audit SELECT * FROM kept; DROP TABLE kept");
    ASSERT_FALSE(FirstBroken());
  }
}

TEST_F(AuditLogTest, WordsMovedFromOneColumnToTheNextAreFound) {
  Tamper("UPDATE audit SET actor = 'adminroom', action = '.configure' WHERE id = 3");
  EXPECT_EQ(FirstBroken(), 3);
}

TEST_F(AuditLogTest, ARemovedRowIsFoundAlsoWhenTheOthersCloseTheGap) {
  Tamper("DELETE FROM audit WHERE id = 2");
  EXPECT_EQ(FirstBroken(), 2);
  Tamper("UPDATE audit SET id = 2 WHERE id = 3; UPDATE audit SET id = 3 WHERE id = 4");
  EXPECT_EQ(FirstBroken(), 2);
}

TEST_F(AuditLogTest, RowsInAnotherOrderAreFound) {
  Tamper(
      "UPDATE audit SET id = 99 WHERE id = 1; UPDATE audit SET id = 1 WHERE id = 2; "
      "UPDATE audit SET id = 2 WHERE id = 99");
  EXPECT_EQ(FirstBroken(), 1);
}

}  // namespace
}  // namespace maejin::embedded
