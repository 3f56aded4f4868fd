#include "server/client_address.h"

#include <gtest/gtest.h>

#include "server/access_log.h"
#include "server/language.h"
#include "server/trace.h"
#include "tests/support/toy_server.h"

namespace maejin::http {
namespace {

using ::maejin::testing::Post;
using ::testing::HasSubstr;

ProxyTrust Trusting(const std::vector<std::string>& networks) {
  return std::move(*ProxyTrust::Parse(networks));
}

std::string ClientOf(const ProxyTrust& trust, const std::string& headers) {
  const auto text = "GET / HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n";
  RequestHead head;
  EXPECT_EQ(head.Parse(text, {}), HeadError::kNone);
  return trust.ClientOf(head);
}

TEST(ClientAddressTest, NetworksAreMatchedByTheirPrefix) {
  const auto trust = Trusting({"10.0.0.0/8", "192.0.2.7", "2001:db8::/33"});
  const auto trusts = [&](const char* text) { return trust.Trusts(boost::asio::ip::make_address(text)); };
  EXPECT_TRUE(trusts("10.255.0.1"));
  EXPECT_FALSE(trusts("11.0.0.1"));
  EXPECT_TRUE(trusts("192.0.2.7"));
  EXPECT_FALSE(trusts("192.0.2.6"));
  EXPECT_TRUE(trusts("2001:db8:7fff::1"));
  EXPECT_FALSE(trusts("2001:db8:8000::1"));
  EXPECT_TRUE(trusts("::ffff:10.0.0.1"));
}

TEST(ClientAddressTest, MalformedNetworksAreRefused) {
  for (const auto* text : {"", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/x", "a", "::/129"}) {
    EXPECT_FALSE(ProxyTrust::Parse({text}).ok()) << text;
  }
}

TEST(ClientAddressTest, TheClientIsTheLastUntrustedAddressInTheChain) {
  const auto trust = Trusting({"10.0.0.0/8"});
  EXPECT_EQ(ClientOf(trust, "X-Forwarded-For: 203.0.113.5\r\n"), "203.0.113.5");
  // Entries before the first untrusted address may be forged.
  EXPECT_EQ(ClientOf(trust, "X-Forwarded-For: 1.2.3.4, 203.0.113.5, 10.0.0.2\r\n"), "203.0.113.5");
  EXPECT_EQ(ClientOf(trust, "X-Forwarded-For: 1.2.3.4\r\nX-Forwarded-For: 203.0.113.5\r\n"), "203.0.113.5");
  EXPECT_EQ(ClientOf(trust, "X-Forwarded-For: [2001:db8::1]:443\r\n"), "2001:db8::1");
  EXPECT_EQ(ClientOf(trust, "X-Forwarded-For: 203.0.113.5:1234\r\n"), "203.0.113.5");
  EXPECT_EQ(ClientOf(trust, "X-Forwarded-For: unknown\r\n"), "");
  EXPECT_EQ(ClientOf(trust, ""), "");
}

TEST(ClientAddressTest, ForwardedIsReadAsRfc7239HasIt) {
  const auto trust = Trusting({"10.0.0.0/8"});
  EXPECT_EQ(ClientOf(trust, "Forwarded: for=203.0.113.5;proto=https;by=10.0.0.1\r\n"), "203.0.113.5");
  EXPECT_EQ(ClientOf(trust, "Forwarded: for=1.2.3.4, proto=http; For=\"[2001:db8::7]:99\", for=10.1.1.1\r\n"),
            "2001:db8::7");
  EXPECT_EQ(ClientOf(trust, "Forwarded: for=_hidden\r\n"), "");
}

TEST(ClientAddressTest, AForwardedHeaderBesideXForwardedForChangesNothing) {
  const auto trust = Trusting({"10.0.0.0/8"});
  EXPECT_EQ(ClientOf(trust, "X-Forwarded-For: 203.0.113.5\r\nForwarded: for=203.0.113.5\r\n"), "203.0.113.5");
  EXPECT_EQ(ClientOf(trust, "Forwarded: for=1.2.3.4\r\nX-Forwarded-For: 203.0.113.5\r\n"), "203.0.113.5");
  EXPECT_EQ(ClientOf(trust, "X-Forwarded-For: 203.0.113.5\r\nForwarded: x\r\n"), "203.0.113.5");
}

TEST(ClientAddressTest, ForwardingHeadersCountOnlyFromATrustedProxy) {
  const auto request = Post("/echo/x", "", "X-Forwarded-For: 203.0.113.5\r\n");
  ToyServer strict;
  EXPECT_EQ(strict.Ask(request).body, "x||127.0.0.1");
  ServerOptions options;
  options.trusted_proxies = {"127.0.0.0/8"};
  ToyServer trusting(options);
  EXPECT_EQ(trusting.Ask(request).body, "x||203.0.113.5");
  EXPECT_EQ(trusting.Ask(Post("/echo/x", "", "Forwarded: for=203.0.113.6\r\n")).body, "x||203.0.113.6");
  EXPECT_EQ(trusting.Ask(Post("/echo/x", "")).body, "x||127.0.0.1");
}

TEST(AccessLogTest, ClientBytesCannotForgeALine) {
  std::string out;
  AccessLine line;
  line.client = "192.0.2.1";
  line.method = "GET";
  line.target = "/a\"b\\c\nd\x7f";
  line.status = 200;
  line.bytes = 12;
  line.micros = 34;
  AccessLog::AppendLine(line, "now", out);
  EXPECT_EQ(out, "now 192.0.2.1 \"GET /a\\x22b\\x5cc\\x0ad\\x7f\" 200 12 34 -\n");
}

TEST(AccessLogTest, TokensAndPassesAreMasked) {
  const std::pair<std::string_view, std::string_view> targets[] = {
      {"/queue/status?token=AQEB", "/queue/status?token=***"},
      {"/a?x=1&token=AQ=EB&y=2", "/a?x=1&token=***&y=2"},
      {"/a?pass=e.y.J&pass=z", "/a?pass=***&pass=***"},
      {"/a?%74oken=AQEB", "/a?%74oken=***"},
      {"/a?mytoken=1&token", "/a?mytoken=1&token"},
      {"/token=1?&x", "/token=1?&x"},
      {"/a?b?token=1&", "/a?b?token=1&"},
      {"/a?token=\"\n", "/a?token=***"},
  };
  for (const auto& [target, logged] : targets) {
    std::string out;
    AccessLog::AppendLine({.client = "c", .method = "GET", .target = target}, "now", out);
    EXPECT_EQ(out, "now c \"GET " + std::string(logged) + "\" 0 0 0 -\n");
  }
}

TEST(AccessLogTest, JsonLineIsAnObjectWithMaskedAndEscapedValues) {
  AccessLine line{.client = "192.0.2.1", .method = "GET", .target = "/a\"\n?token=AQ&x=1"};
  line.status = 200;
  line.request_id = "id-1";
  std::string out;
  AccessLog::AppendJson(line, "now", out);
  EXPECT_EQ(out,
            R"({"time":"now","log":"access","client":"192.0.2.1","method":"GET",)"
            R"("target":"/a\\x22\\x0a?token=***&x=1","status":200,"bytes":0,"micros":0,"requestId":"id-1"})"
            "\n");
}

TEST(TraceTest, OnlyWellFormedNamesAreTakenOver) {
  EXPECT_EQ(RequestId("a-B_9.:/+=@"), "a-B_9.:/+=@");
  for (const auto* bad : {"", "a b", "a\"b", "a\tb", "\xc3\xa9"}) EXPECT_EQ(RequestId(bad), "") << bad;
  EXPECT_EQ(RequestId(std::string(128, 'x')).size(), 128U);
  EXPECT_EQ(RequestId(std::string(129, 'x')), "");
  const std::string good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  EXPECT_EQ(TraceParent(good), good);
  for (std::size_t at = 0; at < good.size(); ++at) {
    auto bad = good;
    bad[at] = 'G';
    EXPECT_EQ(TraceParent(bad), "") << at;
  }
  EXPECT_EQ(TraceParent(good + "0"), "");
}

TEST(LanguageTest, MostPreferredOfTheFourIsChosen) {
  EXPECT_EQ(PreferredLanguage(""), Language::kEnglish);
  EXPECT_EQ(PreferredLanguage("ko"), Language::kKorean);
  EXPECT_EQ(PreferredLanguage("ko-KR,ko;q=0.9,en-US;q=0.8,en;q=0.7"), Language::kKorean);
  EXPECT_EQ(PreferredLanguage("en-US,en;q=0.9,ko;q=0.8"), Language::kEnglish);
  EXPECT_EQ(PreferredLanguage("ko;q=0.5, en;q=0.4"), Language::kKorean);
  EXPECT_EQ(PreferredLanguage("ko;q=0, fr"), Language::kEnglish);
  EXPECT_EQ(PreferredLanguage("en, ko"), Language::kEnglish);
  EXPECT_EQ(PreferredLanguage("fr, de"), Language::kEnglish);
  EXPECT_EQ(PreferredLanguage("fr, ja"), Language::kJapanese);
  EXPECT_EQ(PreferredLanguage("ja-JP,ja;q=0.9,en;q=0.8"), Language::kJapanese);
  EXPECT_EQ(PreferredLanguage("en;q=0.8, ja;q=0.9, ko;q=0.9"), Language::kJapanese);
  EXPECT_EQ(PreferredLanguage("zh-TW,zh;q=0.9,en-US;q=0.8"), Language::kChinese);
  EXPECT_EQ(PreferredLanguage("ZH-Hant-HK"), Language::kChinese);
  EXPECT_EQ(PreferredLanguage("zh;q=0, ja;q=0.1"), Language::kJapanese);
  EXPECT_EQ(PreferredLanguage("zhx, jaa, k"), Language::kEnglish);
}

TEST(LanguageTest, TagsAreReadAsTheyAreWritten) {
  for (const auto* tag : {"en", "ko", "ja", "zh-Hant"}) EXPECT_EQ(TagOf(FindLanguage(tag).value()), tag);
  EXPECT_FALSE(FindLanguage("zh"));
  EXPECT_FALSE(FindLanguage(""));
}

TEST(CorsTest, IsOffUnlessOriginsAreConfigured) {
  ToyServer toy;
  const auto answer = toy.Ask("GET /hello HTTP/1.1\r\nHost: a\r\nOrigin: https://shop.example\r\n\r\n");
  EXPECT_EQ(answer.head.find("Access-Control"), std::string::npos);
}

TEST(CorsTest, AConfiguredOriginGetsItsHeadersAndPreflight) {
  ServerOptions options;
  options.cors_origins = {"https://shop.example"};
  ToyServer toy(options);
  const auto answer = toy.Ask("GET /hello HTTP/1.1\r\nHost: a\r\nOrigin: https://shop.example\r\n\r\n");
  EXPECT_EQ(answer.Header("Access-Control-Allow-Origin"), "https://shop.example");
  EXPECT_EQ(answer.Header("Vary"), "Origin");
  const auto refused = toy.Ask("GET /no HTTP/1.1\r\nHost: a\r\nOrigin: https://shop.example\r\n\r\n");
  EXPECT_EQ(refused.Header("Access-Control-Allow-Origin"), "https://shop.example")
      << "a page must see refusals too";
  const auto stranger = toy.Ask("GET /hello HTTP/1.1\r\nHost: a\r\nOrigin: https://evil.example\r\n\r\n");
  EXPECT_EQ(stranger.Header("Access-Control-Allow-Origin"), "");
  const auto preflight = toy.Ask(
      "OPTIONS /echo/x HTTP/1.1\r\nHost: a\r\nOrigin: https://shop.example\r\nAccess-Control-Request-Method: "
      "POST\r\n\r\n");
  EXPECT_EQ(preflight.status, 204);
  EXPECT_EQ(preflight.Header("Access-Control-Allow-Methods"), "POST, OPTIONS");
  EXPECT_THAT(preflight.Header("Access-Control-Allow-Headers"), HasSubstr("Idempotency-Key"));
}

}  // namespace
}  // namespace maejin::http
