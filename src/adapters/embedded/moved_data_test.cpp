#include "adapters/embedded/moved_data.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>

#include "adapters/embedded/database.h"

namespace maejin::embedded {
namespace {

// Tables that are not moved: their rows are short-lived, or have a meaning only in this data folder.
const std::set<std::string> kStayBehind = {"room",
                                           "place",
                                           "draw",
                                           "idempotency",
                                           "events",
                                           "operator_keys",
                                           "booking_counters",
                                           "admissions",
                                           "used_places",
                                           "shared_rooms",
                                           "webhooks",
                                           "webhook_resends",
                                           "used_return_code",
                                           "revoked_pass",
                                           "room_phases",
                                           "room_tally",
                                           "room_waits",
                                           "bypasses",
                                           "bypass_stays",
                                           "maintenance"};

TEST(MovedData, EveryTableOfTheFolderIsMovedOrStaysBehindOnPurpose) {
  const auto folder = std::filesystem::temp_directory_path() / ("maejin-moved-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  auto connection = OpenDatabase(folder / "data.db");
  std::set<std::string> moved;
  for (const auto& table : MovedTables()) {
    moved.emplace(table.name);
    std::set<std::string> here, there;
    for (const auto& column : table.columns) there.emplace(column.name);
    auto columns = connection.Prepare("SELECT name FROM pragma_table_info(?)");
    columns.Bind(1, table.name);
    while (columns.Step()) here.emplace(columns.Text(0));
    EXPECT_EQ(here, there) << table.name;
  }
  auto tables =
      connection.Prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
  while (tables.Step()) {
    const std::string name(tables.Text(0));
    EXPECT_NE(moved.contains(name), kStayBehind.contains(name)) << name;
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace maejin::embedded
