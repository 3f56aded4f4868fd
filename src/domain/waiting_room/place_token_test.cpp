#include "domain/waiting_room/place_token.h"

#include <gtest/gtest.h>

#include "domain/waiting_room/pass.h"

namespace maejin {
namespace {

constexpr Time kIssuedAt = TimeFromMillis(1'794'736'800'000);

std::unique_ptr<KeyRing::Keys> NewKeys(std::initializer_list<std::uint8_t> numbers) {
  auto keys = std::make_unique<KeyRing::Keys>();
  for (const auto number : numbers) {
    keys->macs.push_back({number, HmacSha256("secret " + std::to_string(number))});
    keys->signers.push_back(SigningKey::Generate());
    keys->signer_ids.push_back(keys->signers.back().KeyId());
  }
  return keys;
}

std::string TokenOf(const KeyRing& keys, const PlaceView& place) {
  std::string text;
  AppendPlaceToken(keys, place, text);
  return text;
}

TEST(PlaceToken, RoundTripKeepsEveryFieldAndIsDeterministic) {
  const KeyRing keys(NewKeys({1}));
  const auto text = TokenOf(keys, {"7", "김 철수", 42, 3});
  EXPECT_EQ(TokenOf(keys, {"7", "김 철수", 42, 3}), text);
  PlaceToken token;
  ASSERT_TRUE(token.Read(keys, text));
  EXPECT_EQ(token.place().room, "7");
  EXPECT_EQ(token.place().user, "김 철수");
  EXPECT_EQ(token.place().number, 42U);
  EXPECT_EQ(token.place().epoch, 3U);
}

TEST(PlaceToken, LongestNamesAreAccepted) {
  const KeyRing keys(NewKeys({1}));
  const std::string room(kMaxRoomName, 'r');
  const std::string user(kMaxUserId, 'u');
  PlaceToken token;
  ASSERT_TRUE(token.Read(keys, TokenOf(keys, {room, user, 1, 1})));
  EXPECT_EQ(token.place().user, user);
}

TEST(PlaceToken, AlteredTextIsRefused) {
  const KeyRing keys(NewKeys({1}));
  const auto text = TokenOf(keys, {"7", "ann", 42, 1});
  PlaceToken token;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto altered = text;
    altered[i] = altered[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(token.Read(keys, altered)) << i;
    EXPECT_FALSE(token.Read(keys, text.substr(0, i))) << i;
  }
  EXPECT_FALSE(token.Read(keys, text + "A"));
  EXPECT_FALSE(token.Read(keys, ""));
  EXPECT_FALSE(token.Read(keys, "."));
  EXPECT_FALSE(token.Read(keys, std::string(10'000, 'A') + "." + std::string(22, 'A')));
  const KeyRing others(NewKeys({2}));
  EXPECT_FALSE(token.Read(others, text));
}

TEST(PlaceToken, IsValidAfterRotationWhileItsKeyIsKept) {
  KeyRing keys(NewKeys({1}));
  const auto text = TokenOf(keys, {"7", "ann", 42, 1});
  keys.Install(NewKeys({2, 1}));
  PlaceToken token;
  EXPECT_TRUE(token.Read(keys, text));
  EXPECT_NE(TokenOf(keys, {"7", "ann", 42, 1}), text);
  keys.Install(NewKeys({3, 2}));
  EXPECT_FALSE(token.Read(keys, text));
}

Pass SomePass() { return {"7", "ann", 1, 42, kIssuedAt, kIssuedAt + Seconds{1800}}; }

TEST(Pass, IsReadUntilItExpires) {
  const KeyRing keys(NewKeys({1}));
  const auto text = WritePass(keys, SomePass());
  const auto pass = ReadPass(keys, text, kIssuedAt);
  ASSERT_TRUE(pass.ok());
  EXPECT_EQ(pass->user, "ann");
  EXPECT_EQ(pass->number, 42U);
  EXPECT_EQ(ReadPass(keys, text, kIssuedAt + Seconds{1800}).error(), PassFault::kExpired);
}

TEST(Pass, OtherAlgorithmInHeaderIsRefused) {
  const KeyRing keys(NewKeys({1}));
  const auto text = WritePass(keys, SomePass());
  const auto rest = text.substr(text.find('.'));
  const auto id = keys.keys()->signer_ids.front();
  for (const std::string algorithm : {"none", "HS256", "RS256", "es256"}) {
    const auto head = EncodeBase64Url(R"({"alg":")" + algorithm + R"(","kid":")" + id + R"("})");
    EXPECT_FALSE(ReadPass(keys, head + rest, kIssuedAt).ok()) << algorithm;
  }
  // The algorithm confusion attack: the public key as an HMAC secret.
  const auto head = EncodeBase64Url(R"({"alg":"HS256","kid":")" + id + R"("})");
  const auto claims = text.substr(text.find('.') + 1, text.rfind('.') - text.find('.') - 1);
  const auto jwk = keys.keys()->signers.front().PublicKey().ToJwk();
  const auto mac = HmacSha256(jwk).Mac(head + "." + claims);
  EXPECT_FALSE(ReadPass(keys, head + "." + claims + "." + EncodeBase64Url(AsText(mac)), kIssuedAt).ok());
}

TEST(Pass, UnknownKeyOrAlteredTextIsInvalid) {
  const KeyRing keys(NewKeys({1}));
  const KeyRing others(NewKeys({1}));
  const auto text = WritePass(keys, SomePass());
  EXPECT_EQ(ReadPass(others, text, kIssuedAt).error(), PassFault::kInvalid);
  for (std::size_t i = 0; i < text.size(); i += 7) {
    auto altered = text;
    altered[i] = altered[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(ReadPass(keys, altered, kIssuedAt).ok()) << i;
  }
}

}  // namespace
}  // namespace maejin
