#include "adapters/embedded/key_store.h"

#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "domain/waiting_room/place_token.h"

namespace maejin::embedded {
namespace {

namespace fs = std::filesystem;

class KeyStoreTest : public testing::Test {
 protected:
  ~KeyStoreTest() override { fs::remove_all(folder_.parent_path()); }

  std::unique_ptr<KeyRing> Open() {
    auto keys = OpenKeys(folder_, random_);
    EXPECT_TRUE(keys.ok());
    return std::move(*keys);
  }
  std::string ErrorOfOpening() {
    auto keys = OpenKeys(folder_, random_);
    return keys.ok() ? "" : keys.error();
  }
  static mode_t ModeOf(const fs::path& path) {
    struct stat status{};
    return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
  }
  static std::string TokenOf(const KeyRing& keys) {
    std::string token;
    AppendPlaceToken(keys, {"main", "ann", 1, 1}, token);
    return token;
  }
  static bool Accepts(const KeyRing& keys, const std::string& token) {
    return PlaceToken().Read(keys, token);
  }

  SeededRandom random_{3};
  const fs::path folder_ = fs::temp_directory_path() / ("maejin-keys-" + std::to_string(getpid())) / "keys";
};

TEST_F(KeyStoreTest, FilesAreForTheirOwnerAloneWhateverTheUmask) {
  const auto before = umask(0);
  Open();
  umask(before);
  EXPECT_EQ(ModeOf(folder_), 0700U);
  EXPECT_EQ(ModeOf(folder_ / "mac-1.key"), 0600U);
  EXPECT_EQ(ModeOf(folder_ / "pass-1.pem"), 0600U);
}

TEST_F(KeyStoreTest, TheSameKeysAreReadAgain) {
  const auto first = Open();
  const auto again = Open();
  EXPECT_EQ(first->Jwks(), again->Jwks());
  EXPECT_TRUE(Accepts(*again, TokenOf(*first)));
}

TEST_F(KeyStoreTest, ARotationOverlapsUntilTheKeyIsFourGenerationsOld) {
  const auto keys = Open();
  const auto token = TokenOf(*keys);
  const auto kid = keys->keys()->signer_ids.front();
  for (std::size_t rotation = 1; rotation < kKeysKept; ++rotation) {
    ASSERT_TRUE(RotateKeys(folder_, random_, *keys).ok());
    EXPECT_NE(TokenOf(*keys), token) << "the newest key signs";
    EXPECT_TRUE(Accepts(*keys, token));
    EXPECT_NE(keys->FindSigner(kid), nullptr);
  }
  ASSERT_TRUE(RotateKeys(folder_, random_, *keys).ok());
  EXPECT_FALSE(Accepts(*keys, token));
  EXPECT_EQ(keys->FindSigner(kid), nullptr);
}

TEST_F(KeyStoreTest, RotationGoesOnBeyondTheNumbersOfATokensKeyByte) {
  Open();
  fs::rename(folder_ / "mac-1.key", folder_ / "mac-253.key");
  fs::rename(folder_ / "pass-1.pem", folder_ / "pass-253.pem");
  const auto keys = Open();
  std::string before;
  for (int rotation = 1; rotation <= 8; ++rotation) {
    before = TokenOf(*keys);
    const auto rotated = RotateKeys(folder_, random_, *keys);
    ASSERT_TRUE(rotated.ok()) << rotation << ": " << rotated.error();
    ASSERT_TRUE(Accepts(*keys, TokenOf(*keys)) && Accepts(*keys, before)) << rotation;
  }
  EXPECT_EQ(keys->CurrentMac()->number, 261U);
  EXPECT_TRUE(Accepts(*Open(), before)) << "after a restart";
}

TEST_F(KeyStoreTest, AnUnknownKeyIsNoKey) {
  const auto keys = Open();
  EXPECT_EQ(keys->FindMac(2), nullptr);
  EXPECT_EQ(keys->FindSigner("nobody's"), nullptr);
  EXPECT_EQ(keys->FindSigner(""), nullptr);
}

TEST_F(KeyStoreTest, ADamagedFileStopsTheStartAndIsNamed) {
  Open();
  for (const char* name : {"mac-1.key", "pass-1.pem"}) {
    std::ifstream in(folder_ / name, std::ios::binary);
    const std::string whole((std::istreambuf_iterator<char>(in)), {});
    for (const auto& damaged :
         {std::string(), whole.substr(0, whole.size() / 2), std::string("nonsense\n")}) {
      std::ofstream(folder_ / name, std::ios::binary | std::ios::trunc) << damaged;
      EXPECT_NE(ErrorOfOpening().find(name), std::string::npos) << damaged;
    }
    std::ofstream(folder_ / name, std::ios::binary | std::ios::trunc) << whole;
    EXPECT_EQ(ErrorOfOpening(), "");
  }
}

TEST_F(KeyStoreTest, OtherFilesAreNoKeys) {
  const auto before = Open()->Jwks();
  for (const char* name : {"mac-x.key", "mac-1.key.new", "mac-99999999999.key", "readme", "pass-2.pem.bak"})
    std::ofstream(folder_ / name) << "nonsense";
  EXPECT_EQ(Open()->Jwks(), before);
}

}  // namespace
}  // namespace maejin::embedded
