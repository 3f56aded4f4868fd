#include "domain/waiting_room/return_code.h"

#include <gtest/gtest.h>

#include "domain/waiting_room/place_token.h"

namespace maejin {
namespace {

constexpr Time kReturnCodeNow = TimeFromMillis(1'800'000'000'000);

std::unique_ptr<const KeyRing::Keys> SomeKeys(std::string_view secret) {
  auto keys = std::make_unique<KeyRing::Keys>();
  keys->macs.push_back({1, HmacSha256(secret)});
  return keys;
}

ReturnCode SomeCode() {
  return {Id128{{1, 2, 3}},
          "shop",
          "fan \"1\" 팬",
          7,
          3,
          "https://shop.example",
          kReturnCodeNow + kReturnCodeLife};
}

TEST(ReturnCode, ReadsWhatWasWrittenUntilItsEnd) {
  const KeyRing keys(SomeKeys("a"));
  const auto text = WriteReturnCode(keys, SomeCode());
  const auto code = ReadReturnCode(keys, text, kReturnCodeNow);
  ASSERT_TRUE(code);
  EXPECT_EQ(code->id, SomeCode().id);
  EXPECT_EQ(code->room, "shop");
  EXPECT_EQ(code->user, SomeCode().user);
  EXPECT_EQ(code->number, 7U);
  EXPECT_EQ(code->epoch, 3U);
  EXPECT_EQ(code->origin, "https://shop.example");
  EXPECT_TRUE(ReadReturnCode(keys, text, kReturnCodeNow + kReturnCodeLife - Millis{1}));
  EXPECT_FALSE(ReadReturnCode(keys, text, kReturnCodeNow + kReturnCodeLife));
}

TEST(ReturnCode, AlteredOrForeignTextIsRefused) {
  const KeyRing keys(SomeKeys("a"));
  const KeyRing others(SomeKeys("b"));
  const auto text = WriteReturnCode(keys, SomeCode());
  EXPECT_FALSE(ReadReturnCode(others, text, kReturnCodeNow));
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto altered = text;
    altered[i] = altered[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(ReadReturnCode(keys, altered, kReturnCodeNow)) << i;
    EXPECT_FALSE(ReadReturnCode(keys, text.substr(0, i), kReturnCodeNow)) << i;
  }
}

TEST(ReturnCode, PlaceTokenIsNoReturnCodeAndTheReverse) {
  const KeyRing keys(SomeKeys("a"));
  std::string token;
  AppendPlaceToken(keys, {"shop", "ann", 7, 3}, token);
  EXPECT_FALSE(ReadReturnCode(keys, token, kReturnCodeNow));
  PlaceToken read;
  EXPECT_FALSE(read.Read(keys, WriteReturnCode(keys, SomeCode())));
}

}  // namespace
}  // namespace maejin
