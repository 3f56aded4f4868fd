#include "adapters/redis/client/url.h"

#include <gtest/gtest.h>

namespace maejin::redis {
namespace {

TEST(RedisAddress, ParsesOneServer) {
  const auto address = ParseAddress("redis://shop:p%40ss@db.example:6380/3").value();
  EXPECT_EQ(address.topology, Topology::kStandalone);
  EXPECT_EQ(address.endpoints, (std::vector<Endpoint>{{"db.example", 6380}}));
  EXPECT_EQ(address.user, "shop");
  EXPECT_EQ(address.password, "p@ss");
  EXPECT_EQ(address.database, 3);
  EXPECT_FALSE(address.tls);
  EXPECT_EQ(address.ToString(), "redis://shop:***@db.example:6380/3");
}

TEST(RedisAddress, HasDefaults) {
  const auto address = ParseAddress("redis://localhost").value();
  EXPECT_EQ(address.endpoints, (std::vector<Endpoint>{{"localhost", 6379}}));
  EXPECT_EQ(address.database, 0);
  EXPECT_EQ(ParseAddress("redis://:secret@h/")->password, "secret");
  EXPECT_EQ(ParseAddress("redis://[::1]:7000").value().endpoints[0], (Endpoint{"::1", 7000}));
  EXPECT_EQ(ParseAddress("redis://[::1]").value().endpoints[0], (Endpoint{"::1", 6379}));
}

TEST(RedisAddress, ParsesTlsOptions) {
  const auto address = ParseAddress("rediss://h:6380?ca=/etc/ca%20file.pem&timeout_ms=250").value();
  EXPECT_TRUE(address.tls);
  EXPECT_TRUE(address.tls_verify);
  EXPECT_EQ(address.tls_ca_file, "/etc/ca file.pem");
  EXPECT_EQ(address.timeout, Millis{250});
  EXPECT_FALSE(ParseAddress("rediss://h?verify=none").value().tls_verify);
}

TEST(RedisAddress, ParsesSentinels) {
  const auto address = ParseAddress("redis+sentinel://:pw@s1:26380,s2/mymaster/2").value();
  EXPECT_EQ(address.topology, Topology::kSentinel);
  EXPECT_EQ(address.endpoints, (std::vector<Endpoint>{{"s1", 26380}, {"s2", 26379}}));
  EXPECT_EQ(address.master_name, "mymaster");
  EXPECT_EQ(address.database, 2);
}

TEST(RedisAddress, ParsesACluster) {
  const auto address = ParseAddress("rediss+cluster://a:1,b:2").value();
  EXPECT_EQ(address.topology, Topology::kCluster);
  EXPECT_TRUE(address.tls);
  EXPECT_EQ(address.endpoints.size(), 2U);
}

TEST(RedisAddress, InvalidTextIsRefusedWithoutThePassword) {
  for (const auto* text : {"", "http://h", "redis:/h", "redis://", "redis://h:0", "redis://h:99999",
                           "redis://h:x", "redis://a,b", "redis://h/x", "redis://h/-1", "redis+cluster://h/1",
                           "redis+sentinel://h", "redis+sentinel://h/", "redis://u@h", "redis://u:%zz@h",
                           "redis://h?what=1", "redis://h?timeout_ms=1", "redis+other://h", "redisss://h"}) {
    EXPECT_FALSE(ParseAddress(text).ok()) << text;
  }
  EXPECT_EQ(ParseAddress("redis://u:hidden@h:x").error().find("hidden"), std::string::npos);
}

}  // namespace
}  // namespace maejin::redis
