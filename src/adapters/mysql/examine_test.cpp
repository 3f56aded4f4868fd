#include "adapters/mysql/examine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/mysql/migrations.h"
#include "tests/support/mariadb_server.h"

namespace maejin::mysql {
namespace {

using testing::HasSubstr;

std::string Worst(const std::vector<Finding>& findings, Health health) {
  std::string sentences;
  for (const auto& finding : findings) {
    if (finding.health == health) sentences += finding.sentence + "\n";
  }
  return sentences;
}

TEST(ExamineDatabase, AFreshServerOfDebianIsFit) {
  const auto findings = Examine({testing_support::FreshDatabase(), {}});
  EXPECT_EQ(Worst(findings, Health::kBad), "");
  EXPECT_EQ(Worst(findings, Health::kWarning), "");
  EXPECT_EQ(findings.size(), 9U);
}

TEST(ExamineDatabase, UnfitSettingsAreNamed) {
  const testing_support::MariaDbServer server({"--innodb-flush-log-at-trx-commit=2", "--max-connections=10"});
  server.CreateDatabase();
  {
    Connection root(server.Options());
    root.Command("CREATE USER reader@'%' IDENTIFIED BY 'secret'");
    root.Command("GRANT SELECT ON maejin.* TO reader@'%'");
  }
  auto options = server.Options();
  options.user = "reader";
  options.password = "secret";
  const auto bad = Worst(Examine({options, {}}), Health::kBad);
  EXPECT_THAT(bad, HasSubstr("a power failure loses paid seats"));
  EXPECT_THAT(bad, HasSubstr("the account needs all rights on its database"));
  EXPECT_THAT(bad, HasSubstr("raise max_connections"));
  EXPECT_THAT(bad, testing::Not(HasSubstr("secret")));
}

TEST(ExamineDatabase, ADatabaseThatIsNotThereIsBad) {
  ServerOptions nobody;
  nobody.port = 1;
  nobody.database = "maejin";
  EXPECT_EQ(Examine({nobody, {}}).size(), 1U);
}

}  // namespace
}  // namespace maejin::mysql
