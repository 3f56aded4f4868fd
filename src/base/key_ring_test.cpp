#include "base/key_ring.h"

#include <algorithm>
#include <thread>

#include <gtest/gtest.h>

namespace maejin {
namespace {

std::shared_ptr<KeyRing::Keys> KeysOf(std::uint32_t number) {
  auto keys = std::make_shared<KeyRing::Keys>();
  keys->macs.push_back(MacKey{number, HmacSha256("secret " + std::to_string(number))});
  keys->signers.push_back(SigningKey::Generate());
  keys->signer_ids.push_back(keys->signers.front().KeyId());
  return keys;
}

TEST(KeyRing, OldSetsAreFreedAfterRotations) {
  KeyRing ring(KeysOf(1));
  std::vector<std::weak_ptr<const KeyRing::Keys>> sets;
  for (std::uint32_t number = 2; number < 20; ++number) {
    auto keys = KeysOf(number);
    sets.push_back(keys);
    ring.Install(std::move(keys));
    EXPECT_EQ(ring.CurrentMac()->number, number);
  }
  const auto alive = std::count_if(sets.begin(), sets.end(), [](const auto& set) { return !set.expired(); });
  EXPECT_EQ(alive, 1);
}

TEST(KeyRing, KeyInUseOutlivesARotation) {
  auto first = KeysOf(1);
  const std::weak_ptr<const KeyRing::Keys> old = first;
  KeyRing ring(std::move(first));
  auto mac = ring.CurrentMac();
  auto signer = ring.FindSigner(ring.keys()->signer_ids.front());
  ring.Install(KeysOf(2));
  EXPECT_EQ(ring.CurrentMac()->number, 2U);
  EXPECT_EQ(ring.FindMac(1), nullptr);
  EXPECT_TRUE(mac->hmac.Verify("text", AsText(HmacSha256("secret 1").Mac("text"))));
  mac.reset();
  EXPECT_FALSE(old.expired()) << "the signer is in use";
  signer.reset();
  EXPECT_TRUE(old.expired());
}

TEST(KeyRing, RingsOfOneThreadAreNotMixedUp) {
  const KeyRing one(KeysOf(1));
  const KeyRing other(KeysOf(2));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(one.CurrentMac()->number, 1U);
    EXPECT_EQ(other.CurrentMac()->number, 2U);
  }
  EXPECT_NE(one.version(), other.version());
}

TEST(KeyRing, ReadersHaveAWholeSetWhileKeysRotate) {
  KeyRing ring(KeysOf(1));
  std::atomic<bool> done{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      std::uint32_t newest = 0;
      while (!done) {
        const auto keys = ring.keys();
        const auto number = keys->macs.front().number;
        const auto expected = HmacSha256("secret " + std::to_string(number)).Mac("text");
        if (number < newest || keys->macs.front().hmac.Mac("text") != expected) ++wrong;
        newest = number;
      }
    });
  }
  for (std::uint32_t number = 2; number < 200; ++number) ring.Install(KeysOf(number));
  done = true;
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace maejin
