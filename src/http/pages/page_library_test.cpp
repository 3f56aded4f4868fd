#include "http/pages/page_library.h"

#include <map>

#include <gmock/gmock.h>

#include "server/language.h"

namespace maejin::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class FixedHeaders final : public Headers {
 public:
  std::string_view Find(std::string_view name) const override {
    const auto found = values.find(std::string(name));
    return found == values.end() ? std::string_view{} : std::string_view(found->second);
  }
  std::map<std::string, std::string> values;
};

class PageLibraryTest : public ::testing::Test {
 protected:
  const Response& Page(std::string_view name) {
    request_.headers = &headers_;
    response_.Clear();
    library_.AnswerPage(name, request_, response_);
    return response_;
  }
  std::string NameOfAnAsset() {
    for (const auto& file : WebFiles()) {
      if (file.name.starts_with("assets/event-") && file.name.ends_with(".js")) return std::string(file.name);
    }
    return "";
  }

  FixedHeaders headers_;
  Request request_;
  Response response_;
  PageLibrary library_;
};

TEST_F(PageLibraryTest, PageIsInTheLanguageOfTheRequest) {
  EXPECT_THAT(Page("home.html").Body(), HasSubstr("<html lang=\"en\">"));
  request_.language = Language::kKorean;
  EXPECT_THAT(Page("home.html").Body(), HasSubstr("<html lang=\"ko\">"));
}

TEST_F(PageLibraryTest, FanPagesAreInFourLanguagesAndOperatorPagesInTwo) {
  for (const auto language :
       {Language::kEnglish, Language::kKorean, Language::kJapanese, Language::kChinese}) {
    request_.language = language;
    const auto own = "<html lang=\"" + std::string(TagOf(language)) + "\">";
    for (const auto* name :
         {"home.html", "event.html", "seats.html", "me.html", "rankings.html", "draw.html", "wait.html",
          "maintenance.html", "error.html", "plain-waiting.html", "plain-ticket.html"}) {
      EXPECT_THAT(Page(name).Body(), HasSubstr(own)) << name;
    }
    const bool korean = language == Language::kKorean;
    for (const auto* name : {"console.html", "docs.html", "problem.html"}) {
      EXPECT_THAT(Page(name).Body(), HasSubstr(korean ? "<html lang=\"ko\">" : "<html lang=\"en\">"));
    }
  }
}

TEST_F(PageLibraryTest, TraditionalChineseIsChosenByItsTag) {
  request_.query = "lang=zh-Hant";
  EXPECT_THAT(Page("home.html").extra_headers, HasSubstr("Set-Cookie: maejin_lang=zh-Hant;"));
  request_.query = "";
  headers_.values["Cookie"] = "maejin_lang=zh-Hant";
  EXPECT_THAT(Page("home.html").Body(), HasSubstr("<html lang=\"zh-Hant\">"));
}

TEST_F(PageLibraryTest, ChosenLanguageIsKeptInACookieAndWins) {
  request_.query = "lang=ko";
  EXPECT_THAT(Page("home.html").extra_headers, HasSubstr("Set-Cookie: maejin_lang=ko;"));
  EXPECT_THAT(response_.Body(), HasSubstr("<html lang=\"ko\">"));
  request_.query = "";
  headers_.values["Cookie"] = "other=1; maejin_lang=ko";
  EXPECT_THAT(Page("home.html").Body(), HasSubstr("<html lang=\"ko\">"));
  EXPECT_THAT(response_.extra_headers, Not(HasSubstr("Set-Cookie")));
}

TEST_F(PageLibraryTest, UnknownLanguageSetsNoCookie) {
  request_.query = "lang=xx%0d%0aEvil:1";
  EXPECT_THAT(Page("home.html").extra_headers, Not(HasSubstr("Set-Cookie")));
}

TEST_F(PageLibraryTest, PageIsCompressedIfTheClientAcceptsIt) {
  headers_.values["Accept-Encoding"] = "gzip";
  EXPECT_THAT(Page("home.html").extra_headers, HasSubstr("Content-Encoding: gzip"));
  EXPECT_EQ(response_.Body().substr(0, 2), "\x1f\x8b");
  const auto gzipped = response_.Body().size();
  headers_.values["Accept-Encoding"] = "gzip, br";
  EXPECT_THAT(Page("home.html").extra_headers, HasSubstr("Content-Encoding: br"));
  EXPECT_LT(response_.Body().size(), gzipped);
  headers_.values["Accept-Encoding"] = "gzip;q=0";
  EXPECT_THAT(Page("home.html").extra_headers, Not(HasSubstr("Content-Encoding")));
}

TEST_F(PageLibraryTest, UnchangedPageIsAnswered304) {
  const auto head = Page("home.html").extra_headers;
  const auto at = head.find("ETag: ") + 6;
  headers_.values["If-None-Match"] = head.substr(at, head.find('\r', at) - at);
  EXPECT_EQ(Page("home.html").status, 304);
  EXPECT_EQ(response_.Body(), "");
  request_.language = Language::kKorean;
  EXPECT_EQ(Page("home.html").status, 200) << "another language is another page";
}

TEST_F(PageLibraryTest, PagesForbidForeignContentAndAreRevalidated) {
  EXPECT_THAT(Page("home.html").extra_headers, HasSubstr("Content-Security-Policy: default-src 'none'"));
  EXPECT_EQ(response_.cache, "no-cache");
}

TEST_F(PageLibraryTest, OnlyConfiguredOriginsMayFrameFanPagesAndNoneTheConsole) {
  EXPECT_THAT(Page("event.html").extra_headers, HasSubstr("; frame-ancestors 'none'"));
  library_ = PageLibrary({"https://a.example", "https://b.example"});
  EXPECT_THAT(Page("event.html").extra_headers,
              HasSubstr("; frame-ancestors https://a.example https://b.example"));
  EXPECT_THAT(Page("console.html").extra_headers, HasSubstr("; frame-ancestors 'none'"));
}

TEST_F(PageLibraryTest, ColorAndLogoAreOnPagesForFansOnly) {
  constexpr std::string_view kPages[] = {"home.html", "me.html",    "rankings.html",
                                         "wait.html", "error.html", "maintenance.html"};
  for (const auto name : kPages) {
    EXPECT_THAT(Page(name).Body(), HasSubstr("<span class=\"stamp\" lang=\"ko\">매진</span> maejin</a>"))
        << name;
    EXPECT_THAT(response_.Body(), Not(HasSubstr("/assets/look"))) << name;
    EXPECT_THAT(response_.Body(), Not(HasSubstr("{{head}}"))) << name;
  }
  SiteTexts site;
  site.name = "Han & River";
  site.color = ParseColor("#ffcc00");
  site.logo = SiteLogo{{PictureType::kPng, 64, 32}, std::make_shared<const std::string>("PNG"), "logo-x.png"};
  library_ = PageLibrary({}, site);
  const std::string logo =
      "<img src=\"/assets/logo-x.png\" width=\"64\" height=\"32\" alt=\"Han &amp; River\"></a>";
  for (const auto name : kPages) {
    EXPECT_THAT(Page(name).Body(),
                HasSubstr("<link rel=\"stylesheet\" href=\"/assets/look-ffcc00.css\"></head>"));
    EXPECT_THAT(response_.Body(), HasSubstr(logo)) << name;
  }
  const auto line = library_.Fill("event.html", Language::kKorean, library_.LookOf({}));
  EXPECT_THAT(line.page->plain(), HasSubstr(logo));
  EXPECT_THAT(line.page->plain(), HasSubstr("look-ffcc00.css"));
  for (const auto* name : {"console.html", "docs.html", "problem.html"}) {
    EXPECT_THAT(Page(name).Body(), Not(HasSubstr("/assets/lo"))) << name;
    EXPECT_THAT(response_.Body(), HasSubstr("매진</span> Han &amp; River</a>")) << name;
  }
}

TEST_F(PageLibraryTest, LookOfAConcertReplacesTheServersOnItsPages) {
  SiteTexts site;
  site.name = "Han & River";
  site.color = ParseColor("#ffcc00");
  site.logo = SiteLogo{{PictureType::kPng, 64, 32}, std::make_shared<const std::string>("PNG"), "logo-x.png"};
  library_ = PageLibrary({}, site);
  const auto page = [&](const ConcertLook& look) {
    return library_.Fill("seats.html", Language::kEnglish, library_.LookOf(look)).page->plain();
  };
  EXPECT_THAT(page({.color = kBlack}), HasSubstr("look-000000.css"));
  const auto named = page({.organizer = "<Moon>"});
  EXPECT_THAT(named, HasSubstr("매진</span> &lt;Moon&gt;</a>"));
  EXPECT_THAT(named, HasSubstr(" · &lt;Moon&gt;</title>"));
  EXPECT_THAT(named, Not(HasSubstr("logo-x.png"))) << "the server's logo is another organiser's";
  EXPECT_THAT(page({.organizer = "Moon", .logo = ShownLogo{"/logo", 200, 100}}),
              HasSubstr("<img src=\"/logo\" width=\"64\" height=\"32\" alt=\"Moon\"></a>"));
  EXPECT_THAT(page({.logo = ShownLogo{"/logo", 200, 100}}), HasSubstr("alt=\"Han &amp; River\"></a>"));
  library_ = PageLibrary();
  EXPECT_THAT(page({.logo = ShownLogo{"/logo", 200, 100}}), HasSubstr("href=\"/assets/look.css\""))
      << "rules of the logo";
  EXPECT_THAT(page({}), Not(HasSubstr("/assets/look")));
}

TEST_F(PageLibraryTest, LogoIsCachedForAYearAndAStylesheetOfAColorForADay) {
  SiteTexts site;
  site.logo = SiteLogo{{PictureType::kPng, 64, 32}, std::make_shared<const std::string>("PNG"), "logo-x.png"};
  library_ = PageLibrary({}, site);
  request_.headers = &headers_;
  library_.AnswerAsset("assets/logo-x.png", request_, response_);
  EXPECT_EQ(response_.Body(), "PNG");
  EXPECT_EQ(response_.content_type, "image/png");
  EXPECT_EQ(response_.cache, "public, max-age=31536000, immutable");
  response_.Clear();
  headers_.values["If-None-Match"] = "\"logo-x.png\"";
  library_.AnswerAsset("assets/logo-x.png", request_, response_);
  EXPECT_EQ(response_.status, 304);
  response_.Clear();
  library_.AnswerAsset("assets/look-ffcc00.css", request_, response_);
  EXPECT_EQ(response_.status, 200);
  EXPECT_THAT(response_.Body(), HasSubstr("#ffcc00"));
  EXPECT_EQ(response_.cache, "public, max-age=86400");
  response_.Clear();
  library_.AnswerAsset("assets/look-nothex.css", request_, response_);
  EXPECT_EQ(response_.status, 404);
}

TEST_F(PageLibraryTest, BrowserClientHasAFixedNameAndIsKeptForMinutes) {
  request_.headers = &headers_;
  library_.AnswerClient("client/maejin.js", request_, response_);
  EXPECT_EQ(response_.status, 200);
  EXPECT_EQ(response_.cache, "public, max-age=300");
}

TEST_F(PageLibraryTest, AssetsAreCachedForAYearAndUnknownOnesAreNotFound) {
  request_.headers = &headers_;
  library_.AnswerAsset(NameOfAnAsset(), request_, response_);
  EXPECT_EQ(response_.status, 200);
  EXPECT_EQ(response_.cache, "public, max-age=31536000, immutable");
  response_.Clear();
  library_.AnswerAsset("assets/../home.html", request_, response_);
  EXPECT_EQ(response_.status, 404);
}

TEST_F(PageLibraryTest, NoPageRefersToAnotherHost) {
  for (const auto& file : WebFiles()) {
    if (!file.name.ends_with(".html") && !file.name.ends_with(".css")) continue;
    EXPECT_THAT(file.plain, Not(HasSubstr("src=\"http"))) << file.name;
    EXPECT_THAT(file.plain, Not(HasSubstr("href=\"http"))) << file.name;
    EXPECT_THAT(file.plain, Not(HasSubstr("@import"))) << file.name;
  }
}

TEST(FillPage, InsertsEscapedTextAndDropsUnknownNames) {
  EXPECT_EQ(FillPage("<p>{{a}}</p>{{b}}{{c}}", {{"a", "<&>"}, {"c", "<i>", true}}),
            "<p>&lt;&amp;&gt;</p><i>");
  EXPECT_EQ(FillPage("a {{ b", {}), "a ");
}

}  // namespace
}  // namespace maejin::http
