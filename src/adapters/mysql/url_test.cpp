#include "adapters/mysql/url.h"

#include <gtest/gtest.h>

namespace maejin::mysql {
namespace {

TEST(MysqlUrl, ReadsEveryPart) {
  const auto url =
      ParseUrl("mysql://maejin:s3cret@db.example:3307/tickets?tls=required&connections=32&queue=500");
  ASSERT_TRUE(url.ok());
  EXPECT_EQ(url->server.user, "maejin");
  EXPECT_EQ(url->server.password, "s3cret");
  EXPECT_EQ(url->server.host, "db.example");
  EXPECT_EQ(url->server.port, 3307);
  EXPECT_EQ(url->server.database, "tickets");
  EXPECT_EQ(url->server.tls, Tls::kRequired);
  EXPECT_EQ(url->pool.connections, 32U);
  EXPECT_EQ(url->pool.queue, 500U);
}

TEST(MysqlUrl, NeedsOnlyADatabase) {
  const auto url = ParseUrl("mysql:///tickets");
  ASSERT_TRUE(url.ok());
  EXPECT_EQ(url->server.host, "127.0.0.1");
  EXPECT_EQ(url->server.port, 3306);
  EXPECT_EQ(url->server.tls, Tls::kOff);
}

TEST(MysqlUrl, APasswordMayHoldAnyCharacterPercentEncoded) {
  const auto url = ParseUrl("mysql://u:a%40b%3A%2F%3F%25@localhost/d");
  ASSERT_TRUE(url.ok());
  EXPECT_EQ(url->server.password, "a@b:/?%");
}

TEST(MysqlUrl, UnderstandsIpv6AndSockets) {
  const auto six = ParseUrl("mysql://u@[2001:db8::1]:3310/d?tls=off");
  ASSERT_TRUE(six.ok());
  EXPECT_EQ(six->server.host, "2001:db8::1");
  EXPECT_EQ(six->server.port, 3310);
  const auto socket = ParseUrl("mysql://u@/d?socket=%2Frun%2Fmysqld%2Fmysqld.sock");
  ASSERT_TRUE(socket.ok());
  EXPECT_EQ(socket->server.socket, "/run/mysqld/mysqld.sock");
}

TEST(MysqlUrl, VerifiesTheServerUnlessItIsOnThisMachine) {
  EXPECT_EQ(ParseUrl("mysql://u@db.example/d")->server.tls, Tls::kVerify);
  EXPECT_EQ(ParseUrl("mysql://u@127.0.0.1/d")->server.tls, Tls::kOff);
  EXPECT_EQ(ParseUrl("mysql://u@db.example/d?tls=off")->server.tls, Tls::kOff);
}

TEST(MysqlUrl, RefusesWhatItDoesNotUnderstandAndNeverRepeatsThePassword) {
  for (const auto* text :
       {"postgres://u:hush@h/d", "mysql://u:hush@h", "mysql://u:hush@h:0/d", "mysql://u:hush@h:99999/d",
        "mysql://u:hush@h:x/d", "mysql://u:hush%2@h/d", "mysql://u:hush@h/d?tls=maybe",
        "mysql://u:hush@h/d?tsl=off", "mysql://u:hush@h/d?connections=0", "mysql://u:hush@[::1/d"}) {
    const auto url = ParseUrl(text);
    ASSERT_FALSE(url.ok()) << text;
    EXPECT_EQ(url.error().find("hush"), std::string::npos) << url.error();
  }
  const auto url = ParseUrl("mysql://u:hush@h/d");
  ASSERT_TRUE(url.ok());
  EXPECT_EQ(Redacted(url->server), "mysql://u@h:3306/d");
}

}  // namespace
}  // namespace maejin::mysql
