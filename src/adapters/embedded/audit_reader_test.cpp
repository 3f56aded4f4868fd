#include "adapters/embedded/audit_reader.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/run_task.h"

namespace maejin::embedded {
namespace {

TEST(AuditReader, ReadsPagesFromTheNewestBack) {
  const auto path =
      std::filesystem::temp_directory_path() / ("maejin-audit-" + std::to_string(getpid()) + ".db");
  std::filesystem::remove(path);
  {
    Connection writer(path.string());
    writer.Execute(
        "CREATE TABLE audit (id INTEGER PRIMARY KEY, at INTEGER, actor TEXT, action TEXT, subject TEXT, "
        "detail TEXT, "
        "hash TEXT);"
        "INSERT INTO audit VALUES (1, 1000, 'a', 'room.configure', 'room 7', '{}', 'x'), "
        "(2, 2000, 'b', 'room.revoke', 'room 7', '', 'y'), (3, 3000, 'c', 'room.configure', 'room 8', '', "
        "'z')");
    AuditReader reader(path.string());
    const auto newest = RunTask(reader.Page({}, 2));
    ASSERT_TRUE(newest.ok());
    ASSERT_EQ(newest->size(), 2u);
    EXPECT_EQ((*newest)[0].id, 3);
    EXPECT_EQ((*newest)[1].actor, "b");
    const auto older = RunTask(reader.Page(2, 10));
    ASSERT_TRUE(older.ok());
    ASSERT_EQ(older->size(), 1u);
    EXPECT_EQ(older->front().at, TimeFromMillis(1000));
    EXPECT_EQ(older->front().subject, "room 7");
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace maejin::embedded
