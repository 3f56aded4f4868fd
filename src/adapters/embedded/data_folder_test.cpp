#include "adapters/embedded/data_folder.h"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

namespace maejin::embedded {
namespace {

class DataFolderTest : public testing::Test {
 protected:
  ~DataFolderTest() override { std::filesystem::remove_all(path_); }
  std::filesystem::path path_ = std::filesystem::temp_directory_path() /
                                ("maejin-folder-" + std::to_string(getpid()) + "-" +
                                 testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(DataFolderTest, IsCreatedForItsOwnerOnly) {
  const auto folder = DataFolder::Open(path_);
  ASSERT_TRUE(folder.ok());
  struct stat info{};
  ASSERT_EQ(stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
}

TEST_F(DataFolderTest, SecondServerIsRefusedWithTheAddressOfTheFirst) {
  const auto first = DataFolder::Open(path_);
  ASSERT_TRUE(first.ok());
  first->Announce("http://127.0.0.1:8080");
  const auto second = DataFolder::Open(path_);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().find("a maejin server is running"), std::string::npos);
  EXPECT_NE(second.error().find("http://127.0.0.1:8080"), std::string::npos);
  EXPECT_EQ(DataFolder::RunningServer(path_), "http://127.0.0.1:8080");
}

TEST_F(DataFolderTest, IsFreeAgainAfterTheServerLeft) {
  {
    ASSERT_TRUE(DataFolder::Open(path_).ok());
  }
  EXPECT_EQ(DataFolder::RunningServer(path_), "");
  EXPECT_TRUE(DataFolder::Open(path_).ok());
}

TEST_F(DataFolderTest, IsNotCreatedByAReader) {
  const auto missing = DataFolder::Open(path_, Missing::kRefuse);
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().find("there is no data folder at"), std::string::npos);
  std::filesystem::create_directories(path_);
  EXPECT_FALSE(DataFolder::Open(path_, Missing::kRefuse).ok());
  EXPECT_TRUE(std::filesystem::is_empty(path_));
  EXPECT_TRUE(DataFolder::Open(path_).ok());
  EXPECT_TRUE(DataFolder::Open(path_, Missing::kRefuse).ok());
}

}  // namespace
}  // namespace maejin::embedded
