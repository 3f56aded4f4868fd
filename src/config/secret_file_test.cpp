#include "config/secret_file.h"

#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace maejin::config {
namespace {

class AdminKeyTest : public testing::Test {
 protected:
  AdminKeyTest()
      : folder_(std::filesystem::path(testing::TempDir()) /
                testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::create_directories(folder_);
  }
  ~AdminKeyTest() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    chmod((folder_ / name).c_str(), 0600);
  }

  std::filesystem::path folder_;
  SystemRandom random_;
};

TEST_F(AdminKeyTest, MissingFileIsCreatedOnceWith256BitsAndMode0600) {
  const auto file = folder_ / "admin.key";
  const auto first = ReadOrCreateSecret(file, "admin key", random_);
  ASSERT_TRUE(first.ok());
  EXPECT_TRUE(first->created);
  EXPECT_EQ(first->text.size(), 64U);
  struct stat status{};
  ASSERT_EQ(stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);

  const auto again = ReadOrCreateSecret(file, "admin key", random_);
  ASSERT_TRUE(again.ok());
  EXPECT_FALSE(again->created);
  EXPECT_EQ(again->text, first->text);
}

TEST_F(AdminKeyTest, AFileOpenToEveryUserIsRefused) {
  Write("key", "0123456789abcdef\n");
  const auto file = folder_ / "key";
  for (const mode_t mode : {0644U, 0604U, 0602U, 0666U}) {
    ASSERT_EQ(chmod(file.c_str(), mode), 0);
    const auto key = ReadSecret(file, "admin key");
    ASSERT_FALSE(key.ok()) << std::oct << mode;
    EXPECT_NE(key.error().find("chmod o= "), std::string::npos) << key.error();
  }
  for (const mode_t mode : {0640U, 0600U, 0400U}) {
    ASSERT_EQ(chmod(file.c_str(), mode), 0);
    EXPECT_TRUE(ReadSecret(file, "admin key").ok()) << std::oct << mode;
  }
}

TEST_F(AdminKeyTest, AShortOrMissingKeyIsRefused) {
  EXPECT_FALSE(ReadSecret(folder_ / "none", "admin key").ok());
  Write("short", "secret\n");
  EXPECT_FALSE(ReadSecret(folder_ / "short", "admin key").ok());
}

TEST_F(AdminKeyTest, IsTheFirstLineWhateverFollows) {
  Write("noted", "0123456789abcdef\nours\n");
  const auto key = ReadSecret(folder_ / "noted", "admin key");
  ASSERT_TRUE(key.ok());
  EXPECT_EQ(key->text, "0123456789abcdef");
  EXPECT_TRUE(key->others.empty());
  EXPECT_FALSE(ReadSecret(folder_ / "noted", "payment secret", SecretLines::kAll).ok());
}

}  // namespace
}  // namespace maejin::config
