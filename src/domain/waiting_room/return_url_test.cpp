#include "domain/waiting_room/return_url.h"

#include <gtest/gtest.h>

namespace maejin {
namespace {

const std::vector<std::string> kAllowed = {"https://shop.example/tickets", "http://127.0.0.1:8443/"};

// None of these targets is allowed, although most look like an allowed one to some browser, server or reader.
constexpr std::string_view kHostile[] = {
    "",
    "/tickets",
    "//shop.example/tickets",
    "https:/shop.example/tickets",
    "https:shop.example/tickets",
    "javascript:alert(1)//shop.example/tickets",
    "data:text/html,https://shop.example/tickets",
    "ftp://shop.example/tickets",
    "http://shop.example/tickets",
    "https://evil.example/tickets",
    "https://shop.example.evil.example/tickets",
    "https://evil-shop.example/tickets",
    "https://shop.example@evil.example/tickets",
    "https://user:pw@shop.example/tickets",
    "https://evil.example#@shop.example/tickets",
    "https://evil.example?@shop.example/tickets",
    "https://evil.example\\@shop.example/tickets",
    "https:\\\\shop.example\\tickets",
    "https://shop.example\\.evil.example/tickets",
    "https://shop.example./tickets",
    "https://.shop.example/tickets",
    "https://shop..example/tickets",
    "https://shop.example:8443/tickets",
    "https://shop.example:80/tickets",
    "https://shop.example:/tickets",
    "https://shop.example:0/tickets",
    "https://shop.example:65979/tickets",
    "https://shop.example:443@evil.example/tickets",
    "https://shop.example:44 3/tickets",
    "https://shop%2eexample/tickets",
    "https://sh\xC3\xB6p.example/tickets",
    "https://xn--shp-sna.example/tickets",
    "https://shop.example/ticketsX",
    "https://shop.example/",
    "https://shop.example",
    "https://shop.example/tickets/../admin",
    "https://shop.example/tickets/..",
    "https://shop.example/tickets/%2e%2e/admin",
    "https://shop.example/tickets/.%2E/admin",
    "https://shop.example/tickets/%252e%252e/admin",
    "https://shop.example/tickets/%2f..%2fadmin",
    "https://shop.example/tickets%2Fbuy",
    "https://shop.example/tickets%5c..%5cadmin",
    "https://shop.example/tickets/%5Cevil",
    "https://shop.example//evil.example/tickets",
    "https://shop.example/tickets//evil",
    "https://shop.example/tickets/%00",
    "https://shop.example/tickets/%0d%0aLocation:x",
    "https://shop.example/tickets\r\nLocation: https://evil.example",
    "https://shop.example/tickets/\t",
    " https://shop.example/tickets",
    "https://shop.example/tickets/%zz",
    "https://[::1]/tickets",
    "https://127.0.0.1/tickets",
    "http://127.0.0.1:8444/",
    "http://2130706433:8443/",
    "HTTPS://EVIL.EXAMPLE/tickets",
};

TEST(ReturnUrl, HostileTargetNeverLeavesTheAllowList) {
  static_assert(std::size(kHostile) >= 40);
  for (const auto target : kHostile) EXPECT_FALSE(FindAllowed(kAllowed, target)) << target;
}

TEST(ReturnUrl, TargetBelowAnEntryIsAllowed) {
  for (const auto* target :
       {"https://shop.example/tickets", "https://shop.example/tickets/",
        "HTTPS://SHOP.Example/tickets/7?a=b#c", "https://shop.example:443/tickets?next=//evil.example",
        "https://shop.example/%74ickets/a%20b", "http://127.0.0.1:8443", "http://127.0.0.1:8443/any/path",
        "https://shop.example/tickets/%EA%B3%B5"}) {
    EXPECT_TRUE(FindAllowed(kAllowed, target)) << target;
  }
  EXPECT_FALSE(FindAllowed(kAllowed, "https://shop.example/tickets/" + std::string(kMaxUrl, 'a')));
  EXPECT_FALSE(FindAllowed({}, "https://shop.example/tickets"));
}

TEST(ReturnUrl, OriginHasNoDefaultPortAndAnUpperCaseHostIsLowered) {
  EXPECT_EQ(ParseWebUrl("HTTPS://Shop.Example:443/a")->Origin(), "https://shop.example");
  EXPECT_EQ(ParseWebUrl("http://[::1]:8080/a")->Origin(), "http://[::1]:8080");
}

TEST(ReturnUrl, EntryHasNoQueryAndNoFragment) {
  EXPECT_TRUE(IsReturnUrl("https://shop.example/a"));
  for (const auto* text : {"https://shop.example/?a=b", "https://shop.example/#a", "shop.example", "*"})
    EXPECT_FALSE(IsReturnUrl(text)) << text;
}

TEST(ReturnUrl, ParameterIsSetOnceAndBeforeTheFragment) {
  const auto set = [](std::string_view url) {
    return WithParameter(*ParseWebUrl(url), "maejin_return", "X");
  };
  EXPECT_EQ(set("https://a.example"), "https://a.example/?maejin_return=X");
  EXPECT_EQ(set("https://a.example/b?c=d#e"), "https://a.example/b?c=d&maejin_return=X#e");
  EXPECT_EQ(set("https://a.example/?maejin_return=old&maejin%5Freturn=old"),
            "https://a.example/?maejin_return=X");
}

TEST(ReturnUrl, LocalPathNeverNamesAHost) {
  for (const auto* text : {"", "a", "//evil.example", "/\\evil.example", "\\\\evil.example",
                           "https://evil.example", "/a\\b", "/\t/evil.example", "/a\r\nb", "/\n"}) {
    EXPECT_FALSE(LocalPath(text)) << text;
  }
  EXPECT_EQ(LocalPath("/"), "/");
  EXPECT_EQ(LocalPath("/a%20b?c=d"), "/a%20b?c=d");
  EXPECT_EQ(LocalPath("/a b\xEA\xB3\xB5"), "/a%20b%EA%B3%B5");
}

}  // namespace
}  // namespace maejin
