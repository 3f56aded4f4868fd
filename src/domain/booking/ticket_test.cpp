#include "domain/booking/ticket.h"

#include <gtest/gtest.h>

#include "domain/booking/reservation_code.h"

namespace maejin {
namespace {

using namespace std::chrono_literals;

std::unique_ptr<KeyRing::Keys> Signers(std::vector<SigningKey> signers) {
  auto keys = std::make_unique<KeyRing::Keys>();
  for (const auto& signer : signers) keys->signer_ids.push_back(signer.KeyId());
  keys->signers = std::move(signers);
  return keys;
}

constexpr Ticket kTicket{12'345, 7, 40, 2026y / 12 / 24};

TEST(Ticket, SignedTextLeadsBackToTheTicketAndFitsIntoASmallCode) {
  const KeyRing ring(Signers({SigningKey::Generate()}));
  const auto text = WriteTicket(ring, kTicket);
  EXPECT_EQ(ReadTicket(ring, text), kTicket);
  EXPECT_TRUE(text.starts_with("MJ1.")) << text;
  EXPECT_LE(text.size(), 130U) << text;
}

TEST(Ticket, AnyChangedCharacterIsRefused) {
  const KeyRing ring(Signers({SigningKey::Generate()}));
  const auto text = WriteTicket(ring, kTicket);
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char c : {'0', '1', 'A', 'a', '.', '-'}) {
      auto changed = text;
      changed[i] = c;
      if (changed != text) {
        EXPECT_FALSE(ReadTicket(ring, changed)) << changed;
      }
    }
  }
  EXPECT_FALSE(ReadTicket(ring, text + "A"));
  EXPECT_FALSE(ReadTicket(ring, ""));
  EXPECT_FALSE(ReadTicket(ring, "MJ1......"));
}

TEST(Ticket, OlderKeysOfTheRingVerifyAndForeignKeysDoNot) {
  const auto old_key = SigningKey::Generate();
  const KeyRing before(Signers({old_key}));
  const KeyRing after(Signers({SigningKey::Generate(), old_key}));
  const auto text = WriteTicket(before, kTicket);
  EXPECT_EQ(ReadTicket(after, text), kTicket);
  EXPECT_FALSE(ReadTicket(KeyRing(Signers({SigningKey::Generate()})), text));
}

TEST(Ticket, PublicKeyAloneVerifiesOffline) {
  const auto key = SigningKey::Generate();
  const auto text = WriteTicket(KeyRing(Signers({key})), kTicket);
  const auto open = key.PublicKey();
  const auto copy = VerifyKey::FromEcPoint(EncodeBase64Url(open.x()), EncodeBase64Url(open.y()));
  ASSERT_TRUE(copy);
  const auto read = ParseTicket(text);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->SignedBy(key.KeyId(), *copy));
  EXPECT_FALSE(read->SignedBy("another-key", *copy));
}

}  // namespace
}  // namespace maejin
