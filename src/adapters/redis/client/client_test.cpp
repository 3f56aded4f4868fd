// The client against real servers, started by each test.
#include "adapters/redis/client/client.h"

#include <algorithm>
#include <future>

#include <gtest/gtest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/run_task.h"
#include "tests/support/await.h"
#include "tests/support/free_port.h"
#include "tests/support/redis_server.h"

namespace maejin::redis {
namespace {

using test::AwaitCli;
using test::RedisCluster;
using test::RedisServer;
using test::SentinelTrio;

Address At(const std::string& url, Millis timeout = Seconds{60}) {
  auto address = ParseAddress(url).value();
  address.timeout = timeout;
  return address;
}

CallResult Ask(Client& client, Command command) { return RunTask(client.Call(std::move(command))); }

// Retries until Redis answers.
CallResult AskUntilAnswered(Client& client, const Command& command) {
  auto result = Ask(client, command);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!result && std::chrono::steady_clock::now() < deadline) result = Ask(client, command);
  return result;
}

Task<void> CountTo(Client& client, int calls, int& done) {
  for (int i = 0; i < calls; ++i) {
    auto result = co_await client.Call(Command("INCR").Key("n"));
    if (result) ++done;
  }
}

TEST(RedisClient, CallReturnsTheReply) {
  const RedisServer server;
  Client client(At(server.Url()));
  EXPECT_EQ(Ask(client, Command{"SET"}.Key("k").Word("v"))->text, "OK");
  EXPECT_EQ(Ask(client, Command{"GET"}.Key("k"))->text, "v");
  const auto wrong = Ask(client, Command{"INCR"}.Key("k"));
  EXPECT_EQ(wrong.error().kind, RedisError::Kind::kRefused);
  EXPECT_TRUE(wrong.error().text.starts_with("ERR value is not an integer"));
}

TEST(RedisClient, SharesOneConnectionPerThreadAmongManyRequests) {
  const RedisServer server;
  boost::asio::io_context context{1};
  Client client(At(server.Url()));
  client.Attach(context);
  ASSERT_TRUE(Ask(client, Command{"PING"}).ok());  // the client's own connection is open
  int done = 0;
  for (int i = 0; i < 200; ++i) {
    boost::asio::co_spawn(context.get_executor(), CountTo(client, 10, done), boost::asio::detached);
  }
  while (done < 2000) context.run_one();
  EXPECT_EQ(server.Cli("GET n"), "2000\n");
  // This thread's connection, the client's own, and redis-cli's.
  EXPECT_NE(server.Cli("INFO clients").find("connected_clients:3"), std::string::npos);
  context.stop();
  client.Detach();
}

TEST(RedisClient, AuthenticatesAndSelectsTheDatabase) {
  const RedisServer server({"--requirepass", "s3cret"});
  Client client(At("redis://default:s3cret@127.0.0.1:" + std::to_string(server.port()) + "/2"));
  EXPECT_TRUE(Ask(client, Command{"SET"}.Key("k").Word("v")).ok());
  EXPECT_EQ(server.Cli("--no-auth-warning -a s3cret -n 2 GET k"), "v\n");
  Client unauthenticated(At("redis://127.0.0.1:" + std::to_string(server.port())));
  const auto refused = Ask(unauthenticated, Command{"PING"});
  EXPECT_EQ(refused.error().kind, RedisError::Kind::kUnavailable);
  EXPECT_NE(refused.error().text.find("requires a password"), std::string::npos) << refused.error().text;
}

TEST(RedisClient, ReloadsAScriptAfterScriptFlush) {
  const RedisServer server;
  Client client(At(server.Url()));
  const Script script("return redis.call('INCR', KEYS[1])");
  const auto eval = [&] { return RunTask(client.Eval(script, ScriptArguments().Key("n"))); };
  EXPECT_EQ(eval()->integer, 1);
  ASSERT_TRUE(test::Await([&] { return client.connected(); })) << "the client has read the time, with EVAL";
  server.Cli("CONFIG RESETSTAT");
  server.Cli("SCRIPT FLUSH");
  EXPECT_EQ(eval()->integer, 2);
  EXPECT_EQ(eval()->integer, 3);
  EXPECT_NE(server.Cli("INFO commandstats").find("cmdstat_eval:calls=1,"), std::string::npos);
}

// A server with a self-signed certificate for `name`.
class TlsServer {
 public:
  explicit TlsServer(const std::string& name) {
    test::Output(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=redis "
        "-addext subjectAltName=" +
        name + " -keyout " + folder_.File("key") + " -out " + certificate() + " 2>&1");
    server_.emplace(std::vector<std::string>{"--tls-port", port_, "--tls-cert-file", certificate(),
                                             "--tls-key-file", folder_.File("key"), "--tls-ca-cert-file",
                                             certificate(), "--tls-auth-clients", "no"});
  }
  std::string certificate() const { return folder_.File("crt"); }
  std::string url() const { return "rediss://127.0.0.1:" + port_; }

 private:
  const test::TemporaryFolder folder_;
  const std::string port_ = std::to_string(test::FreePort());
  std::optional<RedisServer> server_;
};

TEST(RedisClient, TlsRejectsAnUntrustedOrMisnamedCertificate) {
  const TlsServer server("IP:127.0.0.1");
  Client with_ca(At(server.url() + "?ca=" + server.certificate()));
  EXPECT_EQ(Ask(with_ca, Command{"PING"})->text, "PONG");
  Client without_ca(At(server.url()));
  EXPECT_NE(Ask(without_ca, Command{"PING"}).error().text.find("TLS"), std::string::npos);
  const TlsServer other("DNS:redis.example");
  Client misnamed(At(other.url() + "?ca=" + other.certificate()));
  EXPECT_FALSE(Ask(misnamed, Command{"PING"}).ok()) << "the certificate has another name";
}

TEST(RedisClient, OpenCircuitRefusesAtOnceAndReconnects) {
  RedisServer server;
  Client client(At(server.Url()));
  EXPECT_TRUE(Ask(client, Command{"PING"}).ok());
  server.Kill();
  while (Ask(client, Command{"PING"}).ok()) {
  }
  const auto before = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(Ask(client, Command{"PING"}).ok(), false);
  EXPECT_LT(std::chrono::steady_clock::now() - before, client.address().timeout / 2)
      << "an open circuit does not let one of a hundred requests wait";
  server.Start();
  EXPECT_TRUE(AskUntilAnswered(client, Command{"PING"}).ok());
}

TEST(RedisClient, HangingRedisIsUnknownAtTheDeadline) {
  const RedisServer server;
  Client client(At(server.Url(), Millis{500}));
  CallResult result = Reply{};
  // An attempt is repeated if the connection was not open and the command was therefore not sent.
  for (int attempt = 0; attempt < 10; ++attempt) {
    ASSERT_TRUE(AskUntilAnswered(client, Command{"PING"}).ok());
    server.Pause();
    const auto before = std::chrono::steady_clock::now();
    result = Ask(client, Command{"SET"}.Key("k").Word("v"));
    EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(30));
    server.Resume();
    if (result.ok() || result.error().kind == RedisError::Kind::kUnknown) break;
  }
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, RedisError::Kind::kUnknown);
  EXPECT_EQ(AskUntilAnswered(client, Command{"GET"}.Key("k"))->text, "v")
      << "kUnknown does not mean refused: the command was executed";
}

TEST(RedisClient, SubscriptionSurvivesARestart) {
  RedisServer server;
  Client client(At(server.Url()));
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> heard;
  const auto subscription = client.Subscribe("news", [&](const std::string* message) {
    const std::lock_guard lock(mutex);
    heard.push_back(message == nullptr ? "subscribed" : *message);
    changed.notify_all();
  });
  const auto await = [&](const std::string& message) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(60),
                            [&] { return !heard.empty() && heard.back() == message; });
  };
  AwaitCli(server.port(), "PUBLISH news one", "1\n");  // replies the number of receivers
  ASSERT_TRUE(await("one"));
  server.Restart();
  AwaitCli(server.port(), "PUBLISH news two", "1\n");
  ASSERT_TRUE(await("two"));
  // On a busy machine the connection may have been reopened once more, so repeated entries are dropped.
  heard.erase(std::unique(heard.begin(), heard.end()), heard.end());
  EXPECT_EQ(heard, (std::vector<std::string>{"subscribed", "one", "subscribed", "two"}));
}

TEST(RedisClient, LearnsTheServersTime) {
  const RedisServer server;
  Client client(At(server.Url(), Millis{1000}));  // a call that takes longer fails and gives no offset
  ASSERT_TRUE(AskUntilAnswered(client, Command{"PING"}).ok());
  EXPECT_LT(std::chrono::abs(client.clock_offset()), Millis{1000});
}

TEST(RedisSentinels, ClientFollowsAFailover) {
  SentinelTrio trio;
  Client client(At(trio.Url()));
  ASSERT_TRUE(Ask(client, Command{"SET"}.Key("k").Word("before")).ok());
  AwaitCli(trio.replica().port(), "GET k", "before");
  trio.primary().Kill();
  trio.AwaitNewPrimary();
  ASSERT_TRUE(AskUntilAnswered(client, Command{"SET"}.Key("k").Word("after")).ok());
  EXPECT_EQ(trio.replica().Cli("GET k"), "after\n");
}

TEST(RedisSentinels, ClientLeavesADemotedPrimary) {
  SentinelTrio trio;
  Client client(At(trio.Url()));
  ASSERT_TRUE(Ask(client, Command{"INCR"}.Key("n")).ok());
  trio.FailOver();
  trio.AwaitNewPrimary();
  // Makes the old primary a replica, as the sentinels would do some seconds later.
  trio.primary().Cli("REPLICAOF 127.0.0.1 " + std::to_string(trio.replica().port()));
  // The old primary would answer READONLY; the client then finds the new one.
  EXPECT_TRUE(AskUntilAnswered(client, Command{"SET"}.Key("k").Word("v")).ok());
  EXPECT_EQ(trio.replica().Cli("GET k"), "v\n");
}

TEST(RedisClusterClient, FindsEveryKeyAndFollowsAMovingHashSlot) {
  RedisCluster cluster;
  Client client(At(cluster.Url()));
  for (int i = 0; i < 60; ++i) {
    ASSERT_TRUE(Ask(client, Command{"SET"}.Key("k" + std::to_string(i)).Word(i)).ok());
  }
  for (int i = 0; i < 60; ++i)
    EXPECT_EQ(Ask(client, Command{"GET"}.Key("k" + std::to_string(i)))->AsInteger(), i);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NE(cluster.node(i).Cli("DBSIZE"), "0\n");

  // "foo" lies in hash slot 12182, on the third node. While the hash slot migrates to the first node, the
  // reply is ASK; afterwards it is MOVED.
  ASSERT_TRUE(Ask(client, Command{"SET"}.Key("{foo}1").Word("one")).ok());
  cluster.node(0).Cli("CLUSTER SETSLOT 12182 IMPORTING " + cluster.IdOf(2));
  cluster.node(2).Cli("CLUSTER SETSLOT 12182 MIGRATING " + cluster.IdOf(0));
  ASSERT_TRUE(Ask(client, Command{"SET"}.Key("{foo}2").Word("two")).ok());
  EXPECT_EQ(Ask(client, Command{"GET"}.Key("{foo}1"))->text, "one");
  EXPECT_EQ(Ask(client, Command{"GET"}.Key("{foo}2"))->text, "two");
  cluster.node(2).Cli("MIGRATE 127.0.0.1 " + std::to_string(cluster.node(0).port()) + " {foo}1 0 60000");
  for (const std::size_t i : {0U, 2U, 1U})
    cluster.node(i).Cli("CLUSTER SETSLOT 12182 NODE " + cluster.IdOf(0));
  EXPECT_EQ(Ask(client, Command{"GET"}.Key("{foo}1"))->text, "one");
  EXPECT_EQ(Ask(client, Command{"GET"}.Key("{foo}2"))->text, "two");
}

TEST(RedisClusterClient, AsksEveryPrimary) {
  RedisCluster cluster;
  Client client(At(cluster.Url()));
  const auto replies = RunTask(client.CallEveryPrimary(Command{"DBSIZE"}));
  ASSERT_TRUE(replies.ok());
  EXPECT_EQ(replies->size(), 3U);
}

}  // namespace
}  // namespace maejin::redis
