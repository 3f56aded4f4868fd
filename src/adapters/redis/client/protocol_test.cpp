// The classes without I/O: commands, replies, handshake, redirects, policies.
#include <hiredis/hiredis.h>

#include <gtest/gtest.h>

#include "adapters/redis/client/command.h"
#include "adapters/redis/client/handshake.h"
#include "adapters/redis/client/reconnect_policy.h"
#include "adapters/redis/client/redirect.h"
#include "adapters/redis/client/reply_reader.h"
#include "adapters/redis/client/script.h"
#include "adapters/redis/client/sentinel_walk.h"

namespace maejin::redis {
namespace {

Reply Read(std::string_view bytes) {
  ReplyReader reader;
  reader.Feed(bytes);
  return reader.Next().value();
}

TEST(RedisCommand, IsFormattedAsHiredisFormatsIt) {
  std::string ours;
  Command{"SET"}.Key("a key").Word(std::string_view("b\0\r\n", 4)).AppendTo(ours);
  const char* words[] = {"SET", "a key", "b\0\r\n"};
  const std::size_t sizes[] = {3, 5, 4};
  char* theirs = nullptr;
  const auto size = redisFormatCommandArgv(&theirs, 3, words, sizes);
  EXPECT_EQ(ours, std::string(theirs, static_cast<std::size_t>(size)));
  redisFreeCommand(theirs);
}

TEST(RedisCommand, GoesToTheHashSlotOfItsFirstKey) {
  EXPECT_EQ(Command{"PING"}.hash_slot(), std::nullopt);
  EXPECT_EQ(Command{"GET"}.Key("foo").hash_slot(), 12182);
  EXPECT_EQ(Command{"TIME"}.AtServerOf("foo").hash_slot(), 12182);
}

TEST(RedisHashSlots, MatchTheSpecification) {
  EXPECT_EQ(HashSlotOf("123456789"), 0x31c3);
  EXPECT_EQ(HashSlotOf("foo"), 12182);
  EXPECT_EQ(HashSlotOf("queue:{42}"), HashSlotOf("token:{42}:minji"));
  EXPECT_EQ(HashSlotOf("{}x"), HashSlotOf("{}x"));
  EXPECT_NE(HashSlotOf("{}x"), HashSlotOf("{}y")) << "an empty tag is no tag";
}

TEST(RedisReplies, AreReadInPieces) {
  const std::string_view bytes = "*3\r\n:7\r\n$2\r\nab\r\n*2\r\n$-1\r\n-ERR no\r\n+OK\r\n";
  ReplyReader reader;
  for (std::size_t i = 0; i + 1 < bytes.size() - 5; ++i) reader.Feed(bytes.substr(i, 1));
  EXPECT_FALSE(reader.Next()) << "the array is not complete";
  reader.Feed(bytes.substr(bytes.size() - 6));
  const auto array = reader.Next().value();
  EXPECT_EQ(array.At(0).AsInteger(), 7);
  EXPECT_EQ(array.At(1).text, "ab");
  EXPECT_TRUE(array.At(2).At(0).is_nil());
  EXPECT_TRUE(array.At(2).At(1).IsError("ERR"));
  EXPECT_TRUE(array.At(9).is_nil());
  EXPECT_EQ(reader.Next().value().text, "OK");
}

TEST(RedisReplies, ArrayTakesMemoryForElementsThatArrivedNotForTheAnnouncedOnes) {
  ReplyReader reader;
  reader.Feed("*2147483647\r\n:1\r\n*2147483647\r\n");
  EXPECT_FALSE(reader.Next());
  EXPECT_EQ(reader.error(), "");
}

TEST(RedisReplies, BytesThatAreNotRespAreAnError) {
  ReplyReader reader;
  reader.Feed("HTTP/1.1 400 Bad Request\r\n");
  EXPECT_FALSE(reader.Next());
  EXPECT_FALSE(reader.error().empty());
}

TEST(RedisHashSlotMap, IsReadFromClusterSlots) {
  const auto reply = Read(
      "*2\r\n*3\r\n:0\r\n:8000\r\n*2\r\n$9\r\n127.0.0.1\r\n:7001\r\n*3\r\n:8001\r\n:16383\r\n*2\r\n$"
      "0\r\n\r\n:7002\r\n");
  const auto map = HashSlotMap::Decode(reply, {"10.0.0.9", 7002}).value();
  EXPECT_EQ(*map.Owner(8000), (Endpoint{"127.0.0.1", 7001}));
  EXPECT_EQ(*map.Owner(8001), (Endpoint{"10.0.0.9", 7002})) << "an empty host means the node that answered";
  EXPECT_EQ(map.nodes().size(), 2U);
}

TEST(RedisRedirects, NameTheNextNode) {
  const Endpoint asked{"10.0.0.1", 7000};
  const auto moved = ReadRedirect(Read("-MOVED 3999 127.0.0.1:6381\r\n"), asked);
  EXPECT_EQ(moved.next, Redirect::Next::kMoved);
  EXPECT_EQ(moved.hash_slot, 3999);
  EXPECT_EQ(moved.node, (Endpoint{"127.0.0.1", 6381}));
  EXPECT_EQ(ReadRedirect(Read("-ASK 1 :6381\r\n"), asked).node, (Endpoint{"10.0.0.1", 6381}));
  EXPECT_EQ(ReadRedirect(Read("-ASK 1 ::1:6381\r\n"), asked).next, Redirect::Next::kAsk);
  EXPECT_EQ(ReadRedirect(Read("-TRYAGAIN x\r\n"), asked).next, Redirect::Next::kTryAgain);
  EXPECT_EQ(ReadRedirect(Read("-READONLY x\r\n"), asked).next, Redirect::Next::kLost);
  EXPECT_EQ(ReadRedirect(Read("-ERR x\r\n"), asked).next, Redirect::Next::kDone);
  EXPECT_EQ(ReadRedirect(Read("-MOVED nonsense\r\n"), asked).next, Redirect::Next::kDone);
  EXPECT_EQ(ReadRedirect(Read("+MOVED 1 a:1\r\n"), asked).next, Redirect::Next::kDone);
}

TEST(RedisHandshake, SendsUserPasswordDatabaseAndName) {
  Address address;
  address.user = "maejin";
  address.password = "secret";
  address.database = 3;
  Handshake handshake(address, true);
  std::string bytes;
  for (const auto& command : handshake.commands()) command.AppendTo(bytes);
  EXPECT_EQ(bytes,
            "*3\r\n$4\r\nAUTH\r\n$6\r\nmaejin\r\n$6\r\nsecret\r\n*2\r\n$6\r\nSELECT\r\n$1\r\n3\r\n"
            "*3\r\n$6\r\nCLIENT\r\n$7\r\nSETNAME\r\n$6\r\nmaejin\r\n*2\r\n$4\r\nINFO\r\n$6\r\nserver\r\n"
            "*1\r\n$4\r\nROLE\r\n");
  EXPECT_EQ(handshake.OnReply(Read("+OK\r\n")), Handshake::Next::kMore);
  EXPECT_EQ(handshake.OnReply(Read("+OK\r\n")), Handshake::Next::kMore);
  EXPECT_EQ(handshake.OnReply(Read("+OK\r\n")), Handshake::Next::kMore);
  EXPECT_EQ(handshake.OnReply(Read("$28\r\n# Server\r\nrun_id:ab12\r\nx:y\r\n\r\n")), Handshake::Next::kMore);
  EXPECT_EQ(handshake.server(), "ab12");
  EXPECT_EQ(handshake.OnReply(Read("*1\r\n$5\r\nslave\r\n")), Handshake::Next::kFailed);
  EXPECT_EQ(handshake.error(), "the node is not the primary");
}

TEST(RedisHandshake, ErrorNeverContainsThePassword) {
  Address address;
  address.password = "secret";
  Handshake handshake(address, false);
  EXPECT_EQ(handshake.OnReply(Read("-WRONGPASS secret is wrong\r\n")), Handshake::Next::kFailed);
  EXPECT_EQ(handshake.error().find("secret"), std::string::npos);
}

TEST(RedisSentinelWalk, AsksSentinelsInTurnAndStartsWithTheLastThatAnswered) {
  SentinelWalk walk({{"a", 1}, {"b", 2}, {"c", 3}}, "mymaster");
  walk.Start();
  EXPECT_EQ(walk.Next()->host, "a");
  walk.OnFailure();
  EXPECT_FALSE(walk.OnReply(Read("*-1\r\n")));
  EXPECT_EQ(walk.Next()->host, "c");
  EXPECT_EQ(walk.OnReply(Read("*2\r\n$2\r\nm1\r\n$4\r\n6379\r\n")), (Endpoint{"m1", 6379}));
  walk.Start();
  EXPECT_EQ(walk.Next()->host, "c");
  walk.OnFailure();
  EXPECT_EQ(walk.Next()->host, "a") << "the others keep their order";
}

TEST(RedisSentinelWalk, IgnoresOtherMasters) {
  const SentinelWalk walk({{"a", 1}}, "main");
  EXPECT_TRUE(walk.IsOurSwitch("main 1.1.1.1 1 2.2.2.2 2"));
  EXPECT_FALSE(walk.IsOurSwitch("main2 1.1.1.1 1 2.2.2.2 2"));
}

TEST(RedisReconnectPolicy, WaitsLongerEachTimeAndRefusesAfterTheSecondFailure) {
  ReconnectPolicy policy({.first = Millis{20}, .longest = Millis{1000}, .open_after = 2}, 7);
  EXPECT_LE(policy.Failed(), Millis{20});
  EXPECT_FALSE(policy.open());
  EXPECT_LE(policy.Failed(), Millis{40});
  EXPECT_TRUE(policy.open());
  Millis longest{0};
  for (int i = 0; i < 1000; ++i) longest = std::max(longest, policy.Failed());
  EXPECT_GT(longest, Millis{900});
  EXPECT_LE(longest, Millis{1000});
  policy.Connected();
  EXPECT_FALSE(policy.open());
}

TEST(RedisScript, IsNamedByItsSha) {
  EXPECT_EQ(Script("return 1").sha(), "e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
  std::string bytes;
  ScriptArguments().Key("k").Arg(5).ByText(Script("return 1")).AppendTo(bytes);
  EXPECT_EQ(bytes, "*5\r\n$4\r\nEVAL\r\n$8\r\nreturn 1\r\n$1\r\n1\r\n$1\r\nk\r\n$1\r\n5\r\n");
}

}  // namespace
}  // namespace maejin::redis
