// Requests that RFC 9112 and 9110 forbid, requests of attackers, and valid requests that resemble them. Each
// row states the status of the answer, and whether the connection stays open. The server never answers a
// request that is hidden in another one.
#include <gtest/gtest.h>

#include "tests/support/toy_server.h"

namespace maejin::http {
namespace {

using ::maejin::testing::Get;

enum class After { kClosed, kAlive };

struct Row {
  const char* name;
  std::string bytes;
  int status;
  After after;
};

// A request hidden behind another one (request smuggling). If the server reads it, /admin answers 401.
const std::string kHidden = "GET /admin HTTP/1.1\r\nHost: a\r\n\r\n";

std::string Line(const std::string& line) { return line + "\r\nHost: a\r\n\r\n"; }
std::string Headed(const std::string& headers) {
  return "GET /hello HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n";
}
std::string Posted(const std::string& headers, const std::string& body) {
  return "POST /echo/x HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n" + body;
}
std::string Chunked(const std::string& body) { return Posted("Transfer-Encoding: chunked\r\n", body); }

const std::vector<Row>& RequestLines() {
  static const std::vector<Row> rows = {
      {"empty method", Line(" /hello HTTP/1.1"), 400, After::kClosed},
      {"method only", Line("GET"), 400, After::kClosed},
      {"no version (HTTP/0.9)", "GET /hello\r\n\r\n", 400, After::kClosed},
      {"two spaces before the target", Line("GET  /hello HTTP/1.1"), 400, After::kClosed},
      {"two spaces before the version", Line("GET /hello  HTTP/1.1"), 400, After::kClosed},
      {"tab as separator", Line("GET\t/hello\tHTTP/1.1"), 400, After::kClosed},
      {"space in the target", Line("GET /hel lo HTTP/1.1"), 400, After::kClosed},
      {"trailing space", Line("GET /hello HTTP/1.1 "), 400, After::kClosed},
      {"method with a colon", Line("GE:T /hello HTTP/1.1"), 400, After::kClosed},
      {"method with a control character", Line("GE\x01T /hello HTTP/1.1"), 400, After::kClosed},
      {"lower-case method", Line("get /hello HTTP/1.1"), 501, After::kClosed},
      {"unknown method", Line("BREW /hello HTTP/1.1"), 501, After::kClosed},
      {"CONNECT", Line("CONNECT a:80 HTTP/1.1"), 501, After::kClosed},
      {"TRACE", Line("TRACE /hello HTTP/1.1"), 501, After::kClosed},
      {"control character in the target", Line("GET /hel\x02lo HTTP/1.1"), 400, After::kClosed},
      {"NUL in the target", Line(std::string("GET /a\0b HTTP/1.1", 17)), 400, After::kClosed},
      {"DEL in the target", Line("GET /a\x7f HTTP/1.1"), 400, After::kClosed},
      {"raw UTF-8 in the target", Line("GET /\xEB\xA7\xA4 HTTP/1.1"), 400, After::kClosed},
      {"fragment in the target", Line("GET /hello#x HTTP/1.1"), 400, After::kClosed},
      {"relative target", Line("GET hello HTTP/1.1"), 400, After::kClosed},
      {"asterisk for GET", Line("GET * HTTP/1.1"), 400, After::kClosed},
      {"absolute target of another scheme", Line("GET ftp://a/hello HTTP/1.1"), 400, After::kClosed},
      {"absolute target without a host", Line("GET http:///hello HTTP/1.1"), 400, After::kClosed},
      {"absolute target", Line("GET http://a/hello HTTP/1.1"), 200, After::kAlive},
      {"target too long", Line("GET /" + std::string(9000, 'a') + " HTTP/1.1"), 414, After::kClosed},
      {"target longer than all headers may be", "GET /" + std::string(20'000, 'a'), 414, After::kClosed},
      {"whole head with a target longer than all headers may be",
       Line("GET /" + std::string(20'000, 'a') + " HTTP/1.1"), 414, After::kClosed},
      {"lower-case version", Line("GET /hello http/1.1"), 400, After::kClosed},
      {"version without minor", Line("GET /hello HTTP/1"), 400, After::kClosed},
      {"version of two digits", Line("GET /hello HTTP/1.10"), 400, After::kClosed},
      {"version 2", Line("GET /hello HTTP/2.0"), 505, After::kClosed},
      {"version 0.9", Line("GET /hello HTTP/0.9"), 505, After::kClosed},
      {"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, After::kClosed},
      {"a later minor version", Line("GET /hello HTTP/1.9"), 200, After::kAlive},
      {"TLS hello", std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n", 12), 400, After::kClosed},
      {"empty lines before the request", "\r\n\r\n" + Get("/hello"), 200, After::kAlive},
      {"bare LF before the request", "\n" + Get("/hello"), 400, After::kClosed},
  };
  return rows;
}

const std::vector<Row>& Fields() {
  static const std::vector<Row> rows = {
      {"no Host", "GET /hello HTTP/1.1\r\n\r\n", 400, After::kClosed},
      {"two Hosts", Headed("Host: b\r\n"), 400, After::kClosed},
      {"Host with a space", "GET /hello HTTP/1.1\r\nHost: a b\r\n\r\n", 400, After::kClosed},
      {"Host with a path", "GET /hello HTTP/1.1\r\nHost: a/b\r\n\r\n", 400, After::kClosed},
      {"Host with a user", "GET /hello HTTP/1.1\r\nHost: u@a\r\n\r\n", 400, After::kClosed},
      {"empty Host", "GET /hello HTTP/1.1\r\nHost:\r\n\r\n", 200, After::kAlive},
      {"Host with a port", "GET /hello HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", 200, After::kAlive},
      {"line folding", Headed("X-A: a\r\n b\r\n"), 400, After::kClosed},
      {"line folding by a tab", Headed("X-A: a\r\n\tb\r\n"), 400, After::kClosed},
      {"space before the first field", "GET /hello HTTP/1.1\r\n Host: a\r\n\r\n", 400, After::kClosed},
      {"space before the colon", Headed("X-A : a\r\n"), 400, After::kClosed},
      {"tab before the colon", Headed("Content-Length\t: 5\r\n"), 400, After::kClosed},
      {"no colon", Headed("X-A\r\n"), 400, After::kClosed},
      {"empty name", Headed(": a\r\n"), 400, After::kClosed},
      {"name with a bracket", Headed("X(A): a\r\n"), 400, After::kClosed},
      {"name in UTF-8", Headed("\xEB\xA7\xA4: a\r\n"), 400, After::kClosed},
      {"NUL in a value", Headed(std::string("X-A: a\0b\r\n", 10)), 400, After::kClosed},
      {"control character in a value", Headed("X-A: a\x01\r\n"), 400, After::kClosed},
      {"bare CR in a value", Headed("X-A: a\rb\r\n"), 400, After::kClosed},
      {"bare CR hides a field", Headed("X-A: a\rContent-Length: 40\r\n"), 400, After::kClosed},
      {"bare LF ends a field", "GET /hello HTTP/1.1\r\nHost: a\nX-A: b\r\n\r\n", 400, After::kClosed},
      {"bare LF everywhere", "GET /hello HTTP/1.1\nHost: a\n\n", 400, After::kClosed},
      {"bare LF ends the head", "GET /hello HTTP/1.1\r\nHost: a\r\n\n", 400, After::kClosed},
      {"bare CR ends the request line", "GET /hello HTTP/1.1\rHost: a\r\n\r\n", 400, After::kClosed},
      {"empty value", Headed("X-A:\r\n"), 200, After::kAlive},
      {"spaces around a value", Headed("X-A: \t a \t \r\n"), 200, After::kAlive},
      {"obs-text in a value", Headed("X-A: \xff\r\n"), 200, After::kAlive},
      {"two Authorizations", Headed("Authorization: Bearer a\r\nAuthorization: Bearer b\r\n"), 400,
       After::kClosed},
      {"two Content-Types", Headed("Content-Type: a/b\r\nContent-Type: a/c\r\n"), 400, After::kClosed},
      {"two Idempotency-Keys", Headed("Idempotency-Key: a\r\nIdempotency-Key: b\r\n"), 400, After::kClosed},
      {"two users", Headed("X-User-Id: a\r\nx-user-id: a\r\n"), 400, After::kClosed},
      {"two queue tokens", Headed("X-Queue-Token: a\r\nX-Queue-Token: b\r\n"), 400, After::kClosed},
      {"Connection option that is no token", Headed("Connection: close;\r\n"), 400, After::kClosed},
      {"close and keep-alive", "GET /hello HTTP/1.0\r\nConnection: close\r\nConnection: keep-alive\r\n\r\n",
       200, After::kClosed},
      {"another expectation", Headed("Expect: 200-ok\r\n"), 417, After::kClosed},
      {"headers too large", Headed("X-A: " + std::string(17'000, 'a') + "\r\n"), 431, After::kClosed},
      {"headers without end", "GET /hello HTTP/1.1\r\nHost: a\r\nX-A: " + std::string(17'000, 'a'), 431,
       After::kClosed},
      {"too many headers", Headed([] {
         std::string many;
         for (int i = 0; i < 100; ++i) many += "A: b\r\n";
         return many;
       }()),
       431, After::kClosed},
  };
  return rows;
}

const std::vector<Row>& Framing() {
  static const std::vector<Row> rows = {
      {"length and chunked",
       Posted("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n" + kHidden), 400,
       After::kClosed},
      {"chunked and length",
       Posted("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n" + kHidden), 400,
       After::kClosed},
      {"two different lengths", Posted("Content-Length: 5\r\nContent-Length: 6\r\n", "hello" + kHidden), 400,
       After::kClosed},
      {"twice the same length", Posted("Content-Length: 5\r\nContent-Length: 5\r\n", "hello" + kHidden), 400,
       After::kClosed},
      {"list of lengths", Posted("Content-Length: 5, 5\r\n", "hello" + kHidden), 400, After::kClosed},
      {"signed length", Posted("Content-Length: +5\r\n", "hello" + kHidden), 400, After::kClosed},
      {"negative length", Posted("Content-Length: -5\r\n", "hello" + kHidden), 400, After::kClosed},
      {"hexadecimal length", Posted("Content-Length: 0x5\r\n", "hello" + kHidden), 400, After::kClosed},
      {"length with a fraction", Posted("Content-Length: 5.0\r\n", "hello" + kHidden), 400, After::kClosed},
      {"length with a space inside", Posted("Content-Length: 5 5\r\n", "hello" + kHidden), 400,
       After::kClosed},
      {"empty length", Posted("Content-Length:\r\n", kHidden), 400, After::kClosed},
      {"length beyond all numbers", Posted("Content-Length: 99999999999999999999\r\n", kHidden), 400,
       After::kClosed},
      {"length that wraps around", Posted("Content-Length: 18446744073709551621\r\n", kHidden), 400,
       After::kClosed},
      {"length with leading zeros", Posted("Content-Length: 0005\r\n", "hello"), 200, After::kAlive},
      {"unknown coding", Posted("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n" + kHidden), 501,
       After::kClosed},
      {"chunked is not last", Posted("Transfer-Encoding: chunked, gzip\r\n", "0\r\n\r\n" + kHidden), 400,
       After::kClosed},
      {"compressed body", Posted("Content-Encoding: gzip\r\nContent-Length: 5\r\n", "hello"), 415,
       After::kClosed},
      {"compressed chunks", Posted("Content-Encoding: br\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
       415, After::kClosed},
      {"identity as content coding", Posted("Content-Encoding: identity\r\nContent-Length: 5\r\n", "hello"),
       200, After::kAlive},
      {"identity", Posted("Transfer-Encoding: identity\r\n", kHidden), 400, After::kClosed},
      {"chunked twice", Posted("Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n" + kHidden), 400,
       After::kClosed},
      {"two Transfer-Encodings",
       Posted("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400,
       After::kClosed},
      {"disguised chunked", Posted("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n" + kHidden), 400,
       After::kClosed},
      {"quoted chunked", Posted("Transfer-Encoding: \"chunked\"\r\n", "0\r\n\r\n" + kHidden), 400,
       After::kClosed},
      {"chunked behind a vertical tab",
       Posted("Transfer-Encoding: \x0b"
              "chunked\r\n",
              "0\r\n\r\n" + kHidden),
       400, After::kClosed},
      {"chunked in capitals", Posted("Transfer-Encoding: CHUNKED\r\n", "5\r\nhello\r\n0\r\n\r\n"), 200,
       After::kAlive},
      {"chunked in HTTP/1.0",
       "POST /echo/x HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + kHidden, 400, After::kClosed},
      {"length too large", Posted("Content-Length: 70000\r\n", ""), 413, After::kClosed},
      {"body of a GET", "GET /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", 200,
       After::kAlive},
      {"body for an address that does not exist",
       "POST /no HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", 404, After::kAlive},
  };
  return rows;
}

const std::vector<Row>& Chunks() {
  static const std::vector<Row> rows = {
      {"well-formed", Chunked("5\r\nhello\r\n0\r\n\r\n"), 200, After::kAlive},
      {"extension", Chunked("5;a=b\r\nhello\r\n0;c\r\n\r\n"), 200, After::kAlive},
      {"trailer", Chunked("5\r\nhello\r\n0\r\nX-A: b\r\nX-B: c\r\n\r\n"), 200, After::kAlive},
      {"hexadecimal of both cases", Chunked("a\r\n0123456789\r\nB\r\n0123456789a\r\n0\r\n\r\n"), 200,
       After::kAlive},
      {"leading zeros", Chunked("0005\r\nhello\r\n000\r\n\r\n"), 200, After::kAlive},
      {"no size", Chunked("\r\nhello\r\n0\r\n\r\n" + kHidden), 400, After::kClosed},
      {"size is no number", Chunked("g\r\nhello\r\n0\r\n\r\n" + kHidden), 400, After::kClosed},
      {"negative size", Chunked("-5\r\nhello\r\n0\r\n\r\n" + kHidden), 400, After::kClosed},
      {"size with 0x", Chunked("0x5\r\nhello\r\n0\r\n\r\n" + kHidden), 400, After::kClosed},
      {"space before the size", Chunked(" 5\r\nhello\r\n0\r\n\r\n" + kHidden), 400, After::kClosed},
      {"space after the size", Chunked("5 \r\nhello\r\n0\r\n\r\n" + kHidden), 400, After::kClosed},
      {"size beyond all numbers", Chunked("fffffffffffffffff\r\n" + kHidden), 400, After::kClosed},
      {"size that wraps around", Chunked("10000000000000005\r\nhello\r\n0\r\n\r\n" + kHidden), 400,
       After::kClosed},
      {"bare LF after the size", Chunked("5\nhello\r\n0\r\n\r\n" + kHidden), 400, After::kClosed},
      {"bare CR after the size", Chunked("5\rhello\r\n0\r\n\r\n" + kHidden), 400, After::kClosed},
      {"bare LF in an extension", Chunked("5;a\nhello\r\n0\r\n\r\n" + kHidden), 400, After::kClosed},
      {"data longer than its size", Chunked("4\r\nhello\r\n0\r\n\r\n" + kHidden), 400, After::kClosed},
      {"data without its CR LF", Chunked("5\r\nhello0\r\n\r\n" + kHidden), 400, After::kClosed},
      {"data ended by a bare LF", Chunked("5\r\nhello\n0\r\n\r\n" + kHidden), 400, After::kClosed},
      {"bare LF ends the body", Chunked("5\r\nhello\r\n0\r\n\n" + kHidden), 400, After::kClosed},
      {"trailer without a colon", Chunked("0\r\nhello\r\n\r\n" + kHidden), 400, After::kClosed},
      {"trailer with a space in its name", Chunked("0\r\nX A: b\r\n\r\n" + kHidden), 400, After::kClosed},
      {"folded trailer", Chunked("0\r\nX-A: b\r\n c\r\n\r\n" + kHidden), 400, After::kClosed},
      {"control character in a trailer", Chunked("0\r\nX-A: \x01\r\n\r\n" + kHidden), 400, After::kClosed},
      {"endless extension", Chunked("5;" + std::string(5000, 'a')), 400, After::kClosed},
      {"endless trailer", Chunked("0\r\nX-A: " + std::string(5000, 'a')), 400, After::kClosed},
      {"body too large", Chunked("11170\r\n" + std::string(70'000, 'a') + "\r\n0\r\n\r\n"), 413,
       After::kClosed},
  };
  return rows;
}

class HostileInputTest : public ::testing::Test {
 protected:
  void Check(const std::vector<Row>& rows) {
    for (const auto& row : rows) {
      SCOPED_TRACE(row.name);
      auto client = toy_.Connect();
      ASSERT_TRUE(client.Send(row.bytes));
      const auto response = client.Receive();
      ASSERT_TRUE(response);
      EXPECT_EQ(response->status, row.status);
      EXPECT_EQ(response->Header("Content-Type") == "application/problem+json", row.status >= 400);
      if (row.after == After::kAlive) {
        const auto next = client.Ask(Get("/hello"));
        ASSERT_TRUE(next);
        EXPECT_EQ(next->status, 200);
      } else {
        EXPECT_EQ(response->Header("Connection"), "close");
        client.FinishSending();
        EXPECT_EQ(client.ReceiveAll(), "") << "something hidden was answered";
      }
    }
  }
  // Sends each row byte by byte: the status must not depend on how the bytes are split into packets.
  void CheckByteByByte(const std::vector<Row>& rows) {
    for (const auto& row : rows) {
      if (row.bytes.size() > 2000) continue;
      SCOPED_TRACE(row.name);
      auto client = toy_.Connect();
      client.SendSlowly(row.bytes);
      const auto response = client.Receive();
      ASSERT_TRUE(response);
      EXPECT_EQ(response->status, row.status);
    }
  }

  ToyServer toy_;
};

TEST_F(HostileInputTest, RequestLines) { Check(RequestLines()); }
TEST_F(HostileInputTest, Fields) { Check(Fields()); }
TEST_F(HostileInputTest, Framing) { Check(Framing()); }
TEST_F(HostileInputTest, Chunks) { Check(Chunks()); }

TEST_F(HostileInputTest, SplitReadsChangeNothing) {
  CheckByteByByte(RequestLines());
  CheckByteByByte(Fields());
  CheckByteByByte(Framing());
  CheckByteByByte(Chunks());
}

TEST_F(HostileInputTest, AChunkedBodyArrivesWhole) {
  const auto response = toy_.Ask(Chunked("5\r\nhello\r\n7;x=y\r\n, world\r\n0\r\nX: y\r\n\r\n"));
  EXPECT_EQ(response.body, "x|hello, world|127.0.0.1");
}

TEST_F(HostileInputTest, PipelinedRequestsOfEveryFramingKeepApart) {
  auto client = toy_.Connect();
  const auto chunked = Chunked("3\r\nabc\r\n0\r\n\r\n");
  const auto sized = Posted("Content-Length: 3\r\n", "def");
  const auto all = chunked + sized + Get("/hello") + chunked + chunked + sized;
  for (std::size_t cut = 0; cut < all.size(); cut += 7) {
    client.Send(all.substr(0, cut));
    client.Send(all.substr(cut));
    for (const auto* body : {"x|abc|127.0.0.1", "x|def|127.0.0.1", R"({"hello":"world"})", "x|abc|127.0.0.1",
                             "x|abc|127.0.0.1", "x|def|127.0.0.1"}) {
      const auto response = client.Receive();
      ASSERT_TRUE(response) << cut;
      EXPECT_EQ(response->body, body) << cut;
    }
  }
}

TEST_F(HostileInputTest, AMalformedRequestDoesNotAffectEarlierOnes) {
  auto client = toy_.Connect();
  client.Send(Get("/hello") + Get("/hello") + "BROKEN\r\n\r\n" + kHidden);
  EXPECT_EQ(client.Receive()->status, 200);
  EXPECT_EQ(client.Receive()->status, 200);
  EXPECT_EQ(client.Receive()->status, 400);
  client.FinishSending();
  EXPECT_TRUE(client.IsClosed());
}

}  // namespace
}  // namespace maejin::http
