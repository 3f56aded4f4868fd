#include "cli/common/http_client.h"

#include <atomic>
#include <mutex>
#include <optional>

#include <gtest/gtest.h>

#include "tests/support/scripted_server.h"

namespace maejin::cli {
namespace {

using ::maejin::testing::Answer;
using ::maejin::testing::ScriptedServer;

std::string AddressOf(const ScriptedServer& server) { return "127.0.0.1:" + std::to_string(server.port()); }

TEST(HttpClient, AnswerHasItsStatusHeadersAndBody) {
  ScriptedServer server([](const std::string&) {
    return std::string("HTTP/1.1 404 Not Found\r\nX-Reason:  none \r\nContent-Length: 4\r\n\r\ngone");
  });
  const auto answer = HttpClient(AddressOf(server)).Call({.target = "/nowhere"});
  ASSERT_TRUE(answer) << answer.error();
  EXPECT_EQ(answer->status, 404);
  EXPECT_EQ(answer->body, "gone");
  EXPECT_EQ(answer->Header("x-reason").substr(0, 4), "none");
  EXPECT_EQ(answer->Header("x-other"), "");
}

TEST(HttpClient, RequestHasMethodBodyAndHeadersOnce) {
  std::string seen;
  ScriptedServer server([&](const std::string& request) {
    seen = request;
    return Answer("yes");
  });
  HttpClient client("http://" + AddressOf(server) + "/");
  client.AddHeader("X-Admin-Key", "of the client");
  const HttpCall call{"PUT", "/rooms/a%2Fb/../c?x=1", "{}", {{"x-admin-key", "of the call"}}};
  ASSERT_TRUE(client.Call(call));
  EXPECT_TRUE(seen.starts_with("PUT /rooms/a%2Fb/../c?x=1 HTTP/1.1\r\n")) << seen;
  EXPECT_NE(seen.find("Content-Type: application/json\r\n"), std::string::npos) << seen;
  EXPECT_NE(seen.find("x-admin-key: of the call\r\n"), std::string::npos) << seen;
  EXPECT_EQ(seen.find("of the client"), std::string::npos) << seen;
  EXPECT_TRUE(seen.ends_with("\r\n\r\n{}")) << seen;
}

TEST(HttpClient, PostWithoutABodySaysSo) {
  std::string seen;
  ScriptedServer server([&](const std::string& request) {
    seen = request;
    return Answer("yes");
  });
  ASSERT_TRUE(HttpClient(AddressOf(server)).Call({"POST", "/keys"}));
  EXPECT_NE(seen.find("Content-Length: 0\r\n"), std::string::npos) << seen;
  EXPECT_EQ(seen.find("Content-Type"), std::string::npos) << seen;
}

TEST(HttpClient, ConnectionThatTheServerClosedIsReplaced) {
  std::atomic<int> count = 0;
  ScriptedServer server([&](const std::string&) { return ++count == 2 ? std::string() : Answer("yes"); });
  HttpClient client(AddressOf(server));
  for (int i = 0; i < 3; ++i) {
    const auto answer = client.Call({.target = "/"});
    ASSERT_TRUE(answer) << answer.error();
    EXPECT_EQ(answer->body, "yes");
  }
  EXPECT_EQ(server.accepted(), 2);
}

TEST(HttpClient, UploadIsSentInChunksOnANewConnection) {
  std::mutex mutex;
  std::string seen;  // guarded by mutex
  ScriptedServer server([&](const std::string& received) -> std::optional<std::string> {
    const std::lock_guard lock(mutex);
    seen += received;
    if (seen.starts_with("GET")) {
      seen.clear();
      return Answer("yes");
    }
    return seen.ends_with("0\r\n\r\n") ? std::optional(Answer("all")) : std::nullopt;
  });
  HttpClient client(AddressOf(server));
  ASSERT_TRUE(client.Call({.target = "/"}));
  int pieces = 0;
  const auto answer = client.Upload({"POST", "/import"}, [&](std::string& piece) {
    piece = "piece" + std::to_string(pieces);
    return pieces++ < 3;
  });
  ASSERT_TRUE(answer) << answer.error();
  EXPECT_EQ(answer->body, "all");
  EXPECT_EQ(server.accepted(), 2);
  const std::lock_guard lock(mutex);
  EXPECT_NE(seen.find("Transfer-Encoding: chunked\r\n"), std::string::npos) << seen;
  EXPECT_TRUE(seen.ends_with("6\r\npiece0\r\n6\r\npiece1\r\n6\r\npiece2\r\n0\r\n\r\n")) << seen;
}

TEST(HttpClient, RefusalDuringAnUploadIsItsAnswer) {
  ScriptedServer server([](const std::string&) {
    return std::string("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  });
  const auto endless = [](std::string& piece) {
    piece.assign(1000, 'x');
    return true;
  };
  const auto answer = HttpClient(AddressOf(server)).Upload({"POST", "/import"}, endless);
  ASSERT_TRUE(answer) << answer.error();
  EXPECT_EQ(answer->status, 413);
}

TEST(HttpClient, SilentServerIsAnErrorAfterTheTimeout) {
  std::atomic<bool> ended = false;
  ScriptedServer server([&](const std::string&) {
    ended.wait(false);
    return Answer("late");
  });
  HttpClient client(AddressOf(server));
  client.SetTimeout(Seconds{1});
  const auto answer = client.Call({.target = "/slow"});
  ended = true;
  ended.notify_all();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error(), "http://" + AddressOf(server) + "/slow: no answer in time");
}

TEST(HttpClient, NameWithoutTlsIsNotContacted) {
  const auto answer = HttpClient("http://tickets.example").Call({.target = "/"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error(), "http://tickets.example: not the address of a server");
}

}  // namespace
}  // namespace maejin::cli
