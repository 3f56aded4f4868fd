#include "usecase/pass_cache.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/random.h"

namespace maejin {
namespace {

constexpr Time kNow = TimeFromMillis(1'800'000'000'000);

std::unique_ptr<const KeyRing::Keys> NewKeys() {
  auto keys = std::make_unique<KeyRing::Keys>();
  keys->macs.push_back(MacKey{1, HmacSha256("secret")});
  keys->signers.push_back(SigningKey::Generate());
  keys->signer_ids.push_back(keys->signers.front().PublicKey().KeyId());
  return keys;
}

std::string PassText(const KeyRing& keys, PlaceNumber number = 7) {
  return WritePass(keys, {"shop", "ann", 1, number, kNow, kNow + Seconds{60}});
}

TEST(PassCache, ReadPassIsFoundUntilItExpires) {
  const KeyRing keys(NewKeys());
  PassCache cache;
  const auto text = PassText(keys);
  EXPECT_FALSE(cache.Find(keys, text, kNow));
  ASSERT_TRUE(cache.Read(keys, text, kNow).ok());
  const auto found = cache.Find(keys, text, kNow);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->user, "ann");
  EXPECT_EQ(found->number, 7U);
  EXPECT_FALSE(cache.Find(keys, text, kNow + Seconds{60}));
  EXPECT_EQ(cache.Read(keys, text, kNow + Seconds{60}).error(), PassFault::kExpired);
}

TEST(PassCache, AlteredPassIsNotTheCachedOne) {
  const KeyRing keys(NewKeys());
  // With one set, every text is looked up in the set of the cached pass.
  PassCache cache(1);
  const auto text = PassText(keys);
  ASSERT_TRUE(cache.Read(keys, text, kNow).ok());
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto altered = text;
    altered[i] = altered[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(cache.Find(keys, altered, kNow)) << i;
  }
  EXPECT_FALSE(cache.Find(keys, text + "A", kNow));
  EXPECT_FALSE(cache.Find(keys, text.substr(1), kNow));
  EXPECT_EQ(cache.Read(keys, text + "A", kNow).error(), PassFault::kInvalid);
}

TEST(PassCache, PassesOfOneSetAreKeptTogether) {
  const KeyRing keys(NewKeys());
  PassCache cache(1);
  std::vector<std::string> texts;
  for (PlaceNumber n = 1; n <= PassCache::kSlotsOfASet; ++n) {
    texts.push_back(PassText(keys, n));
    ASSERT_TRUE(cache.Read(keys, texts.back(), kNow).ok());
  }
  for (const auto& text : texts) EXPECT_TRUE(cache.Find(keys, text, kNow));
}

TEST(PassCache, NewPassReplacesOneOfAFullSet) {
  const KeyRing keys(NewKeys());
  PassCache cache(1);
  std::vector<std::string> texts;
  for (PlaceNumber n = 1; n <= PassCache::kSlotsOfASet + 1; ++n) {
    texts.push_back(PassText(keys, n));
    ASSERT_TRUE(cache.Read(keys, texts.back(), kNow).ok());
  }
  EXPECT_TRUE(cache.Find(keys, texts.back(), kNow));
  const auto kept = std::count_if(texts.begin(), texts.end(),
                                  [&](const auto& text) { return cache.Find(keys, text, kNow) != nullptr; });
  EXPECT_EQ(static_cast<std::size_t>(kept), PassCache::kSlotsOfASet);
}

TEST(PassCache, PassOfARemovedKeyIsNotFound) {
  KeyRing keys(NewKeys());
  PassCache cache;
  const auto text = PassText(keys);
  ASSERT_TRUE(cache.Read(keys, text, kNow).ok());
  keys.Install(NewKeys());
  EXPECT_FALSE(cache.Find(keys, text, kNow));
  EXPECT_EQ(cache.Read(keys, text, kNow).error(), PassFault::kInvalid);
}

}  // namespace
}  // namespace maejin
