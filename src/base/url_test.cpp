#include "base/url.h"

#include <gtest/gtest.h>

namespace maejin {
namespace {

TEST(Url, IsSplitIntoItsParts) {
  const auto url = SplitUrl("HTTPS://Shop.example:8443/a%2Fb//?c=@d#e");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->host, "shop.example");
  EXPECT_EQ(url->port, 8443);
  EXPECT_EQ(url->path, "/a%2Fb//");
  EXPECT_EQ(url->query, "?c=@d");
  EXPECT_EQ(url->fragment, "#e");
  EXPECT_EQ(url->Origin(), "https://shop.example:8443");
}

TEST(Url, WithoutAPortHasThePortOfItsScheme) {
  EXPECT_EQ(SplitUrl("http://shop.example")->port, 80);
  EXPECT_EQ(SplitUrl("https://shop.example")->port, 443);
  EXPECT_EQ(SplitUrl("https://shop.example:443")->Origin(), "https://shop.example");
}

TEST(Url, Ipv6AddressIsFoundWithAndWithoutBrackets) {
  const auto url = SplitUrl("http://[2001:db8::1]:8080");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->host, "[2001:db8::1]");
  EXPECT_EQ(url->BareHost(), "2001:db8::1");
  EXPECT_EQ(url->path, "/");
}

TEST(Url, OtherTextsAreRefused) {
  for (const auto* text :
       {"", "ftp://a.example/", "//a.example/", "https://", "https:///path", "https://user@a.example/",
        "https://a.example:0/", "https://a.example:/", "https://a.example:65536/", "https://a.example:+1/",
        "https://a example/", "https://a.example\\@b.example/", "https://[::1", "https://[::1]x/",
        "https://a..example/", "https://m\xc3\xbcnchen.example/", "https://a.example/\n"})
    EXPECT_FALSE(SplitUrl(text)) << text;
}

TEST(RequestUrl, HostIsFound) {
  EXPECT_EQ(SplitRequestUrl("https://hooks.example:8443/a?b=@c")->BareHost(), "hooks.example");
  EXPECT_EQ(SplitRequestUrl("http://[2001:db8::1]/")->BareHost(), "2001:db8::1");
  EXPECT_EQ(SplitRequestUrl("http://hooks.example/projects/a%2Fb//")->BareHost(), "hooks.example");
}

TEST(RequestUrl, OtherFormsAreRefused) {
  for (const char* url :
       {"", "ftp://a.example/", "file:///etc/passwd", "https://", "https:///path", "https://user@a.example/",
        "https://a.example:0/", "https://a.example:99999/", "https://a.example:x/", "https://a example/",
        "https://a.example/#part", "https://a.example\\@b.example/", "https://[::1", "https://[::1]x/",
        "https://[fe80::1%25eth0]/", "https://münchen.example/", "https://a.example/\n", "//a.example/",
        "https://a,b.example/"})
    EXPECT_FALSE(SplitRequestUrl(url)) << url;
  EXPECT_FALSE(SplitRequestUrl("https://a.example/" + std::string(2000, 'a')));
}

TEST(PercentDecode, TextIsDecodedOnce) {
  EXPECT_EQ(PercentDecode("a%2fb%2F%2541"), "a/b/%41");
  EXPECT_EQ(PercentDecode(""), "");
}

TEST(PercentDecode, IncompleteOrZeroByteIsRefused) {
  for (const auto* text : {"%", "%4", "a%4", "%4g", "%%41", "%00"}) EXPECT_FALSE(PercentDecode(text)) << text;
}

}  // namespace
}  // namespace maejin
