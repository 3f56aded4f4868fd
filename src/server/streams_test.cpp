// Event streams, uploads, and the end of the server.
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <thread>

#include "tests/support/await.h"
#include "tests/support/toy_server.h"

namespace maejin::http {
namespace {

using ::maejin::testing::Get;
using ::maejin::testing::RawClient;
using ::testing::HasSubstr;

std::shared_ptr<const std::string> Frame(std::string text) {
  return std::make_shared<const std::string>("data: " + std::move(text) + "\n\n");
}

RawClient Listen(const ToyServer& toy) {
  auto client = toy.Connect();
  client.Send(Get("/stream"));
  EXPECT_THAT(client.ReceiveUntil("\r\n\r\n").value_or(""), HasSubstr("Content-Type: text/event-stream"));
  EXPECT_EQ(client.ReceiveUntil("\n\n"), "data: welcome\n\n");
  return client;
}

TEST(EventStreamTest, FramesArriveInOrderFromAnyThread) {
  ToyServer toy;
  auto client = Listen(toy);
  const auto stream = toy.Streams().front();
  for (int i = 0; i < 100; ++i) stream->Send(Frame(std::to_string(i)));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(client.ReceiveUntil("\n\n"), "data: " + std::to_string(i) + "\n\n");
  stream->Close();
  EXPECT_TRUE(client.IsClosed());
  EXPECT_TRUE(stream->closed());
}

TEST(EventStreamTest, AClosedListenerIsDetected) {
  ToyServer toy;
  {
    const auto client = Listen(toy);
  }
  EXPECT_TRUE(test::Await([&] { return toy.Streams().front()->closed(); }));
  toy.Streams().front()->Send(Frame("to nobody"));
}

TEST(EventStreamTest, AListenerThatDoesNotReadIsClosedAtTheBacklogLimit) {
  ToyServer toy;
  const auto client = Listen(toy);
  const auto stream = toy.Streams().front();
  const auto large = Frame(std::string(60'000, 'x'));
  EXPECT_TRUE(test::Await([&] {
    stream->Send(large);
    return stream->closed();
  }));
}

TEST(EventStreamTest, ARefusedListenerGetsAProblemAndKeepsItsConnection) {
  ToyServer toy;
  auto client = toy.Connect();
  const auto refused = client.Ask(Get("/stream?refuse=1"));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 404);
  EXPECT_THAT(refused->body, HasSubstr("room-not-found"));
  EXPECT_EQ(client.Ask(Get("/hello"))->status, 200);
}

TEST(EventStreamTest, HeadIsAnsweredAsGetWouldBeAndKeepsItsConnection) {
  ToyServer toy;
  auto client = toy.Connect();
  const auto head = [](const std::string& path) { return "HEAD " + path + " HTTP/1.1\r\nHost: a\r\n\r\n"; };
  client.Send(head("/stream") + head("/stream?refuse=1") + Get("/hello"));
  const auto accepted = client.Receive(true);
  ASSERT_TRUE(accepted);
  EXPECT_EQ(accepted->status, 200);
  EXPECT_EQ(accepted->Header("Content-Type"), "text/event-stream");
  const auto refused = client.Receive(true);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 404);
  EXPECT_EQ(client.Receive()->status, 200);
}

TEST(EventStreamTest, AStreamBehindPipelinedRequestsComesAfterTheirAnswers) {
  ToyServer toy;
  auto client = toy.Connect();
  client.Send(Get("/hello") + Get("/stream"));
  EXPECT_EQ(client.Receive()->body, R"({"hello":"world"})");
  EXPECT_TRUE(client.ReceiveUntil("data: welcome\n\n"));
}

TEST(EventStreamTest, AnIdleStreamGetsHeartbeats) {
  ServerOptions options;
  options.stream_heartbeat = std::chrono::milliseconds{30};
  ToyServer toy(options);
  auto client = Listen(toy);
  EXPECT_EQ(client.ReceiveUntil("\n\n"), ":\n\n");
  EXPECT_EQ(client.ReceiveUntil("\n\n"), ":\n\n");
}

TEST(EventStreamTest, AStreamHeldBeyondTheServersEndIsClosedAndSafe) {
  std::shared_ptr<EventStream> held;
  {
    ToyServer toy;
    const auto client = Listen(toy);
    held = toy.Streams().front();
  }
  EXPECT_TRUE(held->closed());
  held->Send(Frame("too late"));
  held->Close();
}

TEST(UploadTest, ABodyOfAnyLengthReachesTheHandler) {
  ToyServer toy;
  auto client = toy.Connect();
  const std::string body(3'000'000, 'a');
  client.Send("POST /upload/big%20file HTTP/1.1\r\nHost: a\r\nContent-Length: 3000000\r\n\r\n");
  client.Send(body);
  client.Send(Get("/hello"));
  EXPECT_EQ(client.Receive()->body, "big file 3000000 291000000");
  EXPECT_EQ(client.Receive()->status, 200);
}

TEST(UploadTest, ChunksReachTheHandler) {
  ToyServer toy;
  auto client = toy.Connect();
  client.Send("POST /upload/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 200; ++i) client.Send("3e8\r\n" + std::string(1000, 'a') + "\r\n");
  client.Send("0\r\n\r\n" + Get("/hello"));
  EXPECT_EQ(client.Receive()->body, "x 200000 19400000");
  EXPECT_EQ(client.Receive()->status, 200);
}

TEST(UploadTest, EmptyAndBytewiseBodiesReachTheHandler) {
  ToyServer toy;
  auto client = toy.Connect();
  EXPECT_EQ(client.Ask("POST /upload/x HTTP/1.1\r\nHost: a\r\n\r\n")->body, "x 0 0");
  client.SendSlowly(
      "POST /upload/y HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
      "chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n");
  EXPECT_EQ(client.Receive()->body, "y 3 294");
  client.Send("POST /upload/z HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.Receive()->status, 100);
  EXPECT_EQ(client.Ask("ab")->body, "z 2 195");
}

TEST(UploadTest, BrokenChunksAndBrokenConnectionsAreRefused) {
  ToyServer toy;
  auto client = toy.Connect();
  const auto response =
      client.Ask("POST /upload/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 400);
  client.FinishSending();
  EXPECT_TRUE(client.IsClosed());
  auto gone = toy.Connect();
  gone.Send("POST /upload/x HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc");
  gone.FinishSending();
  EXPECT_EQ(gone.Receive()->status, 400);
}

TEST(DrainTest, RequestsInFlightAreAnsweredAndTheServerEnds) {
  ServerOptions options;
  options.drain_deadline = std::chrono::minutes{10};
  ToyServer toy(options);
  auto busy = toy.Connect();
  busy.Send(Get("/wait"));
  auto idle = toy.Connect();
  EXPECT_EQ(idle.Ask(Get("/hello"))->status, 200);
  while (toy.waiting() == 0) std::this_thread::yield();
  toy.server().Drain();
  EXPECT_TRUE(idle.IsClosed());
  toy.Release();
  const auto answer = busy.Receive();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, R"({"waited":true})");
  EXPECT_EQ(answer->Header("Connection"), "close");
  toy.server().Wait();
  EXPECT_FALSE(toy.Connect().connected());
}

TEST(DrainTest, ListenersReceiveReconnectAfterRandomTimes) {
  ToyServer toy;
  std::vector<RawClient> clients;
  for (int i = 0; i < 8; ++i) clients.push_back(Listen(toy));
  toy.server().Drain();
  const std::regex farewell("retry: (\\d+)\nevent: reconnect\ndata: \\{\\}\n\n");
  std::set<int> retries;
  for (auto& client : clients) {
    const auto text = client.ReceiveAll();
    std::smatch found;
    ASSERT_TRUE(std::regex_match(text, found, farewell)) << text;
    retries.insert(std::stoi(found[1]));
  }
  EXPECT_GT(retries.size(), 1U);
  EXPECT_GE(*retries.begin(), 500);
  EXPECT_LE(*retries.rbegin(), 4000);
  toy.server().Wait();
}

TEST(DrainTest, ReadyzFailsBeforeConnectionsAreRefused) {
  ServerOptions options;
  options.drain_delay = std::chrono::minutes{10};
  ToyServer toy(options);
  EXPECT_EQ(toy.Ask(Get("/readyz")).status, 200);
  toy.server().Drain();
  const auto unready = toy.Ask(Get("/readyz"));
  EXPECT_EQ(unready.status, 503);
  EXPECT_THAT(unready.body, HasSubstr(R"("draining":true)"));
  EXPECT_EQ(toy.Ask(Get("/hello")).status, 200);
  EXPECT_EQ(toy.Ask(Get("/healthz")).status, 200);
  toy.server().Stop();
}

TEST(DrainTest, ARequestThatNeverEndsDoesNotHoldTheServer) {
  ServerOptions options;
  options.drain_deadline = std::chrono::milliseconds{100};
  ToyServer toy(options);
  auto busy = toy.Connect();
  busy.Send(Get("/wait"));
  while (toy.waiting() == 0) std::this_thread::yield();
  toy.server().Drain();
  toy.server().Wait();
}

}  // namespace
}  // namespace maejin::http
