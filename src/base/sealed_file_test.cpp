#include "base/sealed_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include <unistd.h>

namespace maejin {
namespace {

class SealedFile : public testing::TestWithParam<const char*> {
 protected:
  SealedFile() : path_(std::filesystem::temp_directory_path() / ("sealed-" + std::to_string(getpid()))) {}
  ~SealedFile() override { std::filesystem::remove(path_); }

  void Write(std::string_view bytes) {
    auto writer = SealedWriter::Create(path_, "test 1", GetParam(), random_);
    ASSERT_TRUE(writer.ok());
    // Writes in pieces whose ends are not those of the chunks.
    for (std::size_t at = 0; at < bytes.size(); at += 70'001)
      ASSERT_TRUE(writer->Write(bytes.substr(at, 70'001)).ok());
    const auto size = writer->Finish();
    ASSERT_TRUE(size.ok());
    EXPECT_EQ(*size, std::filesystem::file_size(path_));
  }
  std::string Content() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void Replace(const std::string& content) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << content;
  }
  FileResult<SealedReader> Open() { return SealedReader::Open(path_, "test 1", GetParam()); }

  SystemRandom random_;
  const std::filesystem::path path_;
};

TEST_P(SealedFile, ContentIsReadAsWritten) {
  std::string bytes(1'000'000, 'x');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7 + i / 251);
  Write(bytes);
  auto reader = Open();
  ASSERT_TRUE(reader.ok());
  std::string read;
  ASSERT_TRUE(reader->Read(3, read).ok());
  ASSERT_TRUE(reader->Read(bytes.size() - 3, read).ok());
  EXPECT_EQ(read, bytes);
  EXPECT_FALSE(reader->Read(1, read).ok()) << "the end";
}

TEST_P(SealedFile, AnyFlippedByteIsFound) {
  Write("a few bytes of content");
  const auto good = Content();
  for (std::size_t at = 0; at < good.size(); ++at) {
    auto bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x20);
    Replace(bad);
    EXPECT_FALSE(Open().ok()) << at;
  }
  Replace(good);
  EXPECT_TRUE(Open().ok());
}

TEST_P(SealedFile, MissingAndAddedBytesAreFound) {
  Write("a few bytes of content");
  const auto good = Content();
  for (std::size_t size = 0; size < good.size(); ++size) {
    Replace(good.substr(0, size));
    EXPECT_FALSE(Open().ok()) << size;
  }
  Replace(good + "x");
  EXPECT_FALSE(Open().ok());
}

INSTANTIATE_TEST_SUITE_P(Kinds, SealedFile, testing::Values("", "a secret of the operator"));

TEST(SealedFileSecret, AWrongSecretOrNoneDoesNotRead) {
  SystemRandom random;
  const auto path = std::filesystem::temp_directory_path() / ("secret-" + std::to_string(getpid()));
  auto writer = SealedWriter::Create(path, "test 1", "right", random);
  ASSERT_TRUE(writer.ok() && writer->Write("fan@example").ok() && writer->Finish().ok());
  std::ifstream in(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(content.find("fan@example"), std::string::npos);
  EXPECT_TRUE(SealedReader::Check(path, "test 1").ok()) << "the checksum needs no secret";
  EXPECT_FALSE(SealedReader::Open(path, "test 1", "").ok());
  std::string out;
  EXPECT_FALSE(SealedReader::Open(path, "test 1", "wrong")->Read(3, out).ok());
  EXPECT_TRUE(SealedReader::Open(path, "test 1", "right")->Read(3, out).ok());
  EXPECT_FALSE(SealedReader::Open(path, "another title", "right").ok());
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace maejin
