// Serves the pages in the binary, in the client's language, and compressed if the client accepts a coding.
// Answers 304 if the client has the page.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/coding.h"
#include "http/pages/html_text.h"
#include "http/pages/site_look.h"
#include "http/pages/web_files.h"
#include "server/request.h"
#include "server/response.h"

namespace maejin::http {

// The language of a page: ?lang=, then the cookie that an earlier ?lang= left, then Accept-Language.
Language PageLanguage(const Request& request);

// A text for FillPage(), which replaces every {{name}} of a page by the escaped text of that name. An unknown
// name becomes empty.
struct PageText {
  std::string_view name;
  std::string text;
  bool is_html = false;  // already markup
};
std::string FillPage(std::string_view page, const std::vector<PageText>& texts);

// What the operator's settings put on every page for fans.
struct SiteTexts {
  std::string name = "maejin";
  std::string help_url = {};          // empty: no link
  std::string terms_url = {};         // empty: no link
  bool test_payments = false;         // no money moves
  std::optional<Color> color = {};    // absent: the pages' own
  std::optional<SiteLogo> logo = {};  // absent: the name
};

// The look that an organiser gave one concert. For an absent field the server's look is used.
struct ConcertLook {
  std::optional<Color> color = {};
  std::optional<std::string> organizer = {};
  std::optional<ShownLogo> logo = {};

  bool IsOfServer() const { return !color && !organizer && !logo; }
};

// A page in all codings. An unchanged file has its compressed forms in the binary. A filled page is
// compressed for the first client that accepts the coding. Compressing all pages at the start would delay it
// by half a second. Thread-safe.
class CodedPage {
 public:
  explicit CodedPage(std::shared_ptr<const std::string> plain) { coded_[0] = std::move(plain); }
  CodedPage(std::string_view plain, std::string_view gzip, std::string_view brotli);

  const std::string& plain() const { return *coded_[0]; }
  std::shared_ptr<const std::string> In(Coding coding);

 private:
  std::mutex mutex_;
  std::array<std::shared_ptr<const std::string>, kCodings> coded_;  // by Coding; mutex_ guards all but [0]
};

// A page or file, with its compressed forms.
struct PageCopy {
  std::string_view type;
  std::string etag;  // with its quotes
  std::shared_ptr<CodedPage> page;
};

// Built once at start, read by all threads afterwards.
class PageLibrary {
 public:
  // `frame_ancestors`: web origins that may show fan pages in a frame. The console is never framed.
  explicit PageLibrary(const std::vector<std::string>& frame_ancestors = {}, SiteTexts site = {});

  const SiteTexts& site() const { return site_; }
  // Whether another site may show fan pages in a frame.
  bool may_be_framed() const { return policy_ != console_policy_; }
  // The texts of every page of a concert: the link to its stylesheet, the mark in its header, and the name of
  // the organiser or the site. The link is empty if there is no colour and no logo.
  std::vector<PageText> LookOf(const ConcertLook& look) const;

  // Answers with the page, or 404 not-found where the binary has none of that name.
  void AnswerPage(std::string_view name, const Request& request, Response& response) const;
  // Answers with a file. Its name contains the hash of its content, so browsers cache it for a year. The
  // stylesheet of a colour is cached for a day, because a new version of the program may change it.
  void AnswerAsset(std::string_view name, const Request& request, Response& response) const;
  // Answers with a file of the browser client. Other sites load it by its fixed name, so browsers cache it
  // for minutes only.
  void AnswerClient(std::string_view name, const Request& request, Response& response) const;
  // Answers with a page that the server fills in; never cached.
  void AnswerFilled(std::string_view name, const std::vector<PageText>& texts, const Request& request,
                    Response& response) const;
  // Fills a page that many clients read, so that it is compressed once for all. Precondition: the binary has
  // the page.
  PageCopy Fill(std::string_view name, Language language, const std::vector<PageText>& texts) const;
  // Answers with a page that Fill() returned.
  void AnswerCopy(const PageCopy& copy, const Request& request, Response& response) const;

 private:
  // The page in English if it is not in `language`; the console and the API's documentation are not in all
  // languages. Null: no such page.
  const PageCopy* Find(std::string_view name, std::string_view language) const;
  void AddPageHeaders(std::string_view name, const Request& request, Response& response) const;
  // False: the file is neither the logo nor the stylesheet of a colour.
  bool AnswerLook(std::string_view file, const Request& request, Response& response) const;
  void AnswerFile(std::string_view name, std::string_view cache, const Request& request,
                  Response& response) const;
  static void Give(const PageCopy& copy, const Request& request, Response& response);

  SiteTexts site_;
  std::string policy_;  // of fan pages
  std::string console_policy_;
  std::map<std::pair<std::string_view, std::string_view>, PageCopy> copies_;  // by name and language
};

}  // namespace maejin::http
