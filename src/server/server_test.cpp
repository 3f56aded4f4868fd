#include "server/server.h"

#include <thread>

#include "http/problem.h"
#include "tests/support/toy_server.h"

namespace maejin::http {
namespace {

using ::maejin::testing::Get;
using ::maejin::testing::Post;
using ::testing::HasSubstr;

TEST(ServerTest, AnswersARouteAndKeepsTheConnection) {
  ToyServer toy;
  auto client = toy.Connect();
  for (int i = 0; i < 3; ++i) {
    const auto response = client.Ask(Get("/hello"));
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 200);
    EXPECT_EQ(response->body, R"({"hello":"world"})");
    EXPECT_EQ(response->Header("Content-Type"), "application/json");
    EXPECT_THAT(response->Header("Date"), HasSubstr(" GMT"));
  }
}

TEST(ServerTest, AnswersPipelinedRequestsInOrder) {
  ToyServer toy;
  auto client = toy.Connect();
  std::string requests;
  for (int i = 0; i < 100; ++i) requests += Post("/echo/" + std::to_string(i), "body" + std::to_string(i));
  client.Send(requests);
  for (int i = 0; i < 100; ++i) {
    const auto response = client.Receive();
    ASSERT_TRUE(response);
    EXPECT_EQ(response->body, std::to_string(i) + "|body" + std::to_string(i) + "|127.0.0.1");
  }
}

TEST(ServerTest, KeepsTheOrderWhenOneAnswerIsSlow) {
  ToyServer toy;
  auto client = toy.Connect();
  client.Send(Get("/hello") + Get("/wait") + Get("/hello"));
  EXPECT_EQ(client.Receive()->body, R"({"hello":"world"})");
  while (toy.waiting() == 0) std::this_thread::yield();
  toy.Release();
  EXPECT_EQ(client.Receive()->body, R"({"waited":true})");
  EXPECT_EQ(client.Receive()->body, R"({"hello":"world"})");
}

TEST(ServerTest, ReadsARequestByteByByte) {
  ToyServer toy;
  auto client = toy.Connect();
  client.SendSlowly(Get("/hello") + Post("/echo/a", "slow body"));
  EXPECT_EQ(client.Receive()->body, R"({"hello":"world"})");
  EXPECT_EQ(client.Receive()->body, "a|slow body|127.0.0.1");
}

TEST(ServerTest, AnswersHeadWithoutABody) {
  ToyServer toy;
  auto client = toy.Connect();
  client.Send("HEAD /hello HTTP/1.1\r\nHost: a\r\n\r\n" + Get("/hello"));
  const auto head = client.Receive(true);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->Header("Content-Length"), "17");
  EXPECT_EQ(client.Receive()->body, R"({"hello":"world"})");
}

TEST(ServerTest, ServesHttp10) {
  ToyServer toy;
  auto once = toy.Connect();
  const auto closed = once.Ask("GET /hello HTTP/1.0\r\n\r\n");
  ASSERT_TRUE(closed);
  EXPECT_EQ(closed->Header("Connection"), "close");
  EXPECT_TRUE(once.IsClosed());
  auto kept = toy.Connect();
  EXPECT_EQ(kept.Ask("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")->Header("Connection"),
            "keep-alive");
  EXPECT_EQ(kept.Ask("GET /hello HTTP/1.0\r\n\r\n")->status, 200);
  EXPECT_TRUE(kept.IsClosed());
}

TEST(ServerTest, RefusesUnknownPathsAndMethods) {
  ToyServer toy;
  EXPECT_EQ(toy.Ask(Get("/nothing")).status, 404);
  const auto wrong_method = toy.Ask(Post("/hello", "{}"));
  EXPECT_EQ(wrong_method.status, 405);
  EXPECT_EQ(wrong_method.Header("Allow"), "GET, HEAD");
  EXPECT_EQ(toy.Ask("BREW /hello HTTP/1.1\r\nHost: a\r\n\r\n").status, 501);
  EXPECT_EQ(toy.Ask(Get("/echo/%zz")).status, 405);
  EXPECT_EQ(toy.Ask(Post("/echo/%zz", "")).status, 400);
  EXPECT_EQ(toy.Ask(Post("/echo/%41%2f", "")).body, "A/||127.0.0.1");
}

TEST(ServerTest, OptionsListsTheMethodsOfAPath) {
  ToyServer toy;
  const auto options = toy.Ask("OPTIONS /hello HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(options.status, 204);
  EXPECT_EQ(options.Header("Allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(toy.Ask("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").status, 204);
}

TEST(ServerTest, AdminRoutesRequireTheAdminKey) {
  ToyServer toy;
  const auto stranger = toy.Ask(Get("/admin"));
  EXPECT_EQ(stranger.status, 401);
  EXPECT_EQ(stranger.Header("WWW-Authenticate"), "Bearer");
  EXPECT_EQ(toy.Ask(Get("/admin", "Authorization: Bearer wrong\r\n")).status, 401);
  EXPECT_EQ(toy.Ask(Get("/admin", "Authorization: Basic secret\r\n")).status, 401);
  EXPECT_EQ(toy.Ask(Get("/admin", "Authorization: Bearer secret\r\n")).status, 200);
}

TEST(ServerTest, TurnsARefusalIntoAProblemInTheCallersLanguage) {
  ToyServer toy;
  const auto english = toy.Ask(Get("/refuses"));
  EXPECT_EQ(english.status, 409);
  EXPECT_EQ(english.Header("Content-Type"), "application/problem+json");
  EXPECT_THAT(english.body, HasSubstr(R"("code":"seat-held")"));
  const auto korean = toy.Ask(Get("/refuses", "Accept-Language: en;q=0.5, ko-KR\r\n"));
  EXPECT_THAT(korean.body, HasSubstr(R"("detail":"다른 사용자가 선택 중)"));
}

TEST(ServerTest, SurvivesAHandlerThatThrows) {
  ToyServer toy;
  auto client = toy.Connect();
  for (const auto* path : {"/throws", "/throws-inline", "/throws"}) {
    const auto response = client.Ask(Get(path));
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, 500);
    EXPECT_EQ(response->body.find("a bug"), std::string::npos) << "told a stranger what went wrong inside";
  }
  EXPECT_EQ(client.Ask(Get("/hello"))->status, 200);
}

TEST(ServerTest, SendsALargeAnswerToASlowReader) {
  ToyServer toy;
  auto client = toy.Connect();
  client.Send(Get("/large") + Get("/large") + Get("/hello"));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(client.Receive()->body, std::string(4'000'000, 'x'));
  EXPECT_EQ(client.Receive()->body, R"({"hello":"world"})");
}

TEST(ServerTest, SharedAnswersKeepTheirOrderInAPipeline) {
  ToyServer toy;
  auto client = toy.Connect();
  client.Send(Get("/hello") + Get("/shared") + Get("/large") + "HEAD /shared HTTP/1.1\r\nHost: a\r\n\r\n" +
              Get("/shared") + Get("/shared") + Get("/hello"));
  EXPECT_EQ(client.Receive()->body, R"({"hello":"world"})");
  EXPECT_EQ(client.Receive()->body, std::string(4'000'000, 's'));
  EXPECT_EQ(client.Receive()->body, std::string(4'000'000, 'x'));
  EXPECT_EQ(client.Receive(true)->Header("Content-Length"), "4000000");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(client.Receive()->body, std::string(4'000'000, 's'));
  EXPECT_EQ(client.Receive()->body, R"({"hello":"world"})");
  const auto last = client.Ask("GET /shared HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  ASSERT_TRUE(last);
  EXPECT_EQ(last->body.size(), 4'000'000U);
}

TEST(ServerTest, ASecondServerOnThePortIsRefused) {
  ToyServer toy;
  const Router router;
  Server second(router, {}, {.admin_key = {}, .problems = Problems()});
  const auto bound = second.Listen(toy.address());
  ASSERT_FALSE(bound.ok());
  EXPECT_THAT(bound.error(), HasSubstr("cannot listen on"));
  EXPECT_THAT(bound.error(), HasSubstr("another program uses this port"));
}

TEST(ServerTest, ReportsWhyItCannotListen) {
  const Router router;
  for (const auto* address : {"nonsense", "127.0.0.1", "127.0.0.1:99999", "256.0.0.1:1", "127.0.0.1:"}) {
    Server server(router, {}, {.admin_key = {}, .problems = Problems()});
    EXPECT_FALSE(server.Listen(address).ok()) << address;
  }
}

}  // namespace
}  // namespace maejin::http
