// Reads the INSERT statements that a database backup contains, and no other SQL.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace maejin::mysql {

// One row; NULL is absent. Texts are unescaped. Binary values are their hexadecimal digits.
using InsertedRow = std::vector<std::optional<std::string>>;

struct InsertStatement {
  std::string table;
  std::vector<std::string> columns;
  std::vector<InsertedRow> rows;  // each has a value for each column
};

// Reads "INSERT INTO `table` (`a`, `b`) VALUES ('text', NULL),\n(x'00FF', '2')". Absent: another form.
std::optional<InsertStatement> ParseInsert(std::string_view statement);

}  // namespace maejin::mysql
