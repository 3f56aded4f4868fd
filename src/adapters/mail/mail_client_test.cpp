#include "adapters/mail/mail_client.h"

#include <gtest/gtest.h>

namespace maejin::mail {
namespace {

TEST(MailClient, OnlyAnswersAboutTheMailboxRefuseTheRecipient) {
  for (const auto* answer :
       {"550 5.1.1 unknown user", "550 no such mailbox", "553 bad name", "552 5.2.2 full"})
    EXPECT_TRUE(RefusesRecipient(answer)) << answer;
  for (const auto* answer : {"450 busy", "421 closing", "550 5.7.1 relaying denied", "530 5.7.0 log in",
                             "535 5.7.8 bad password", "554 no service", "", "250 ok"})
    EXPECT_FALSE(RefusesRecipient(answer)) << answer;
}

TEST(MailClient, AddressThatEndsItsCommandIsNone) {
  EXPECT_TRUE(IsMailAddress("ann.lee+x@fan.example"));
  for (const auto* text : {"", "ann", "@x", "ann@", "ann@x>\r\nDATA", "a b@x", "ann@x,eve@x", "<ann@x"})
    EXPECT_FALSE(IsMailAddress(text)) << text;
}

}  // namespace
}  // namespace maejin::mail
