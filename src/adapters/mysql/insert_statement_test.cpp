#include "adapters/mysql/insert_statement.h"

#include <gtest/gtest.h>

namespace maejin::mysql {
namespace {

TEST(ParseInsert, ReadsTextsNullsAndBinaryValues) {
  const auto read =
      ParseInsert("INSERT INTO `t` (`a`, `b`) VALUES ('It\\'s (a), \\\\', NULL),\n(x'00FF', '')");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->table, "t");
  EXPECT_EQ(read->columns, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(read->rows.size(), 2U);
  EXPECT_EQ(read->rows[0], (InsertedRow{"It's (a), \\", std::nullopt}));
  EXPECT_EQ(read->rows[1], (InsertedRow{"00FF", ""}));
}

TEST(ParseInsert, AnotherFormIsRefused) {
  for (const auto* text :
       {"", "DELETE FROM `t`", "INSERT INTO `t` (`a`) VALUES ", "INSERT INTO `t` (`a`) VALUES ('b', 'c')",
        "INSERT INTO `t` (`a`) VALUES ('b'); DROP", "INSERT INTO `t` (`a`) VALUES ('b",
        "INSERT INTO `t` (`a`) VALUES ('\\n')", "INSERT INTO `t` (`a`) VALUES (f())"}) {
    EXPECT_FALSE(ParseInsert(text)) << text;
  }
}

}  // namespace
}  // namespace maejin::mysql
