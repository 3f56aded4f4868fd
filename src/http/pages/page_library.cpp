#include "http/pages/page_library.h"

#include <fmt/format.h>

#include "http/coding.h"
#include "http/cookies.h"
#include "http/entity_tag.h"
#include "http/pages/page_words.h"
#include "http/problem.h"

namespace maejin::http {
namespace {

// Only scripts, styles and connections of this server; nothing inline.
constexpr std::string_view kContentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors";
constexpr std::string_view kLanguageCookie = "maejin_lang";
constexpr std::string_view kAssets = "assets/";
constexpr std::string_view kForAYear = "public, max-age=31536000, immutable";

std::string Policy(const std::vector<std::string>& frame_ancestors) {
  std::string policy(kContentSecurityPolicy);
  for (const auto& origin : frame_ancestors) policy += " " + origin;
  return frame_ancestors.empty() ? policy + " 'none'" : policy;
}

// Replaces every {{name}} of this name. FillPage() replaces the other names later.
void Insert(std::string& page, std::string_view name, std::string_view html) {
  const auto mark = "{{" + std::string(name) + "}}";
  for (auto at = page.find(mark); at != std::string::npos; at = page.find(mark, at + html.size()))
    page.replace(at, mark.size(), html);
}

std::string FooterLinks(const SiteTexts& site, Language language) {
  std::string links;
  const auto add = [&](const std::string& url, std::string_view text) {
    if (!url.empty()) links += "<a href=\"" + EscapeHtml(url) + "\">" + std::string(text) + "</a>";
  };
  add(site.help_url, WordsIn(language).help);
  add(site.terms_url, WordsIn(language).terms);
  return links;
}

PageCopy MakeCopy(std::string text, std::string_view type) {
  auto etag = ContentTag(text);
  auto plain = std::make_shared<const std::string>(std::move(text));
  return {type, std::move(etag), std::make_shared<CodedPage>(std::move(plain))};
}

// In the header of every page; web/tools/shell.ts has the same.
constexpr std::string_view kBrand = "<span class=\"stamp\" lang=\"ko\">매진</span> {{site}}";

bool IsForOperators(std::string_view page) {
  return page == "console.html" || page == "docs.html" || page == "problem.html";
}

// Pages of one concert: their look is filled in later, with the concert's other texts.
bool IsOfConcert(std::string_view page) {
  return page == "event.html" || page == "seats.html" || page == "draw.html" || page.starts_with("plain-");
}

std::string NamedBrand(std::string_view name) {
  std::string brand(kBrand);
  Insert(brand, "site", EscapeHtml(name));
  return brand;
}

// The first that exists: the concert's logo, the organiser's name, the server's logo, the server's name.
std::string BrandOf(const SiteTexts& site, const ConcertLook& look) {
  const auto& name = look.organizer ? *look.organizer : site.name;
  if (look.logo) return LogoElement(*look.logo, name);
  if (look.organizer || !site.logo) return NamedBrand(name);
  return LogoElement(ShownOf(*site.logo), name);
}

std::string LinkOf(const SiteTexts& site, const ConcertLook& look) {
  const auto color = look.color ? look.color : site.color;
  return color || site.logo || look.logo ? LookLink(color) : "";
}

void PutBrand(std::string& page, std::string_view html) {
  const auto at = page.find(kBrand);
  if (at != std::string::npos) page.replace(at, kBrand.size(), html);
}

// A file as it is in the binary, or with the operator's texts.
PageCopy CopyOf(const WebFile& file, const SiteTexts& site) {
  if (file.plain.find("{{") == std::string_view::npos || !file.name.ends_with(".html")) {
    return {file.type, std::string(file.etag),
            std::make_shared<CodedPage>(file.plain, file.gzip, file.brotli)};
  }
  std::string text(file.plain);
  if (IsOfConcert(file.name)) {
    PutBrand(text, "{{brand}}");
  } else {
    if (!IsForOperators(file.name)) PutBrand(text, BrandOf(site, {}));
    Insert(text, "head", LinkOf(site, {}));
    Insert(text, "site", EscapeHtml(site.name));
  }
  Insert(text, "foot", FooterLinks(site, FindLanguage(file.language).value_or(Language::kEnglish)));
  Insert(text, "test", site.test_payments ? " data-test" : "");
  Insert(text, "real", site.test_payments ? "" : " hidden");
  return MakeCopy(std::move(text), file.type);
}

// The language that ?lang= names, if it is one of ours.
std::optional<Language> ChosenLanguage(const Request& request) {
  const auto chosen = request.Query("lang");
  return chosen ? FindLanguage(*chosen) : std::nullopt;
}

}  // namespace

Language PageLanguage(const Request& request) {
  if (const auto chosen = ChosenLanguage(request)) return *chosen;
  return FindLanguage(FindCookie(request.Header("Cookie"), kLanguageCookie)).value_or(request.language);
}

std::string FillPage(std::string_view page, const std::vector<PageText>& texts) {
  std::string out;
  for (;;) {
    const auto open = page.find("{{");
    const auto close = open == std::string_view::npos ? open : page.find("}}", open);
    out.append(page.substr(0, open));
    if (close == std::string_view::npos) return out;
    const auto name = page.substr(open + 2, close - open - 2);
    for (const auto& text : texts) {
      if (text.name == name) out += text.is_html ? text.text : EscapeHtml(text.text);
    }
    page.remove_prefix(close + 2);
  }
}

CodedPage::CodedPage(std::string_view plain, std::string_view gzip, std::string_view brotli)
    : coded_{std::make_shared<const std::string>(plain), std::make_shared<const std::string>(gzip),
             std::make_shared<const std::string>(brotli)} {}

std::shared_ptr<const std::string> CodedPage::In(Coding coding) {
  const std::lock_guard lock(mutex_);
  auto& coded = coded_[static_cast<std::size_t>(coding)];
  if (!coded) coded = std::make_shared<const std::string>(Compress(plain(), coding, Effort::kSmall));
  return coded;
}

PageLibrary::PageLibrary(const std::vector<std::string>& frame_ancestors, SiteTexts site)
    : site_(std::move(site)), policy_(Policy(frame_ancestors)), console_policy_(Policy({})) {
  for (const auto& file : WebFiles()) copies_.try_emplace({file.name, file.language}, CopyOf(file, site_));
}

const PageCopy* PageLibrary::Find(std::string_view name, std::string_view language) const {
  const auto found = copies_.find({name, language});
  if (found != copies_.end()) return &found->second;
  return language.empty() || language == "en" ? nullptr : Find(name, "en");
}

void PageLibrary::AddPageHeaders(std::string_view name, const Request& request, Response& response) const {
  response.AddHeader("Content-Security-Policy", name == "console.html" ? console_policy_ : policy_);
  response.AddHeader("X-Content-Type-Options", "nosniff");
  response.AddHeader("Referrer-Policy", "same-origin");
  response.AddHeader("Vary", "Accept-Encoding, Accept-Language, Cookie");
  if (const auto chosen = ChosenLanguage(request)) {
    response.AddHeader("Set-Cookie", fmt::format("{}={}; Path=/; Max-Age=31536000; SameSite=Lax",
                                                 kLanguageCookie, TagOf(*chosen)));
  }
}

void PageLibrary::Give(const PageCopy& copy, const Request& request, Response& response) {
  const auto coding = AcceptedCoding(request.Header("Accept-Encoding"));
  response.content_type = copy.type;
  response.AddHeader("ETag", coding == Coding::kIdentity ? copy.etag : WeakTag(copy.etag));
  if (MatchesTag(request.Header("If-None-Match"), copy.etag)) {
    response.status = 304;
    return;
  }
  if (coding != Coding::kIdentity) response.AddHeader("Content-Encoding", Name(coding));
  response.shared_body = copy.page->In(coding);
}

void PageLibrary::AnswerPage(std::string_view name, const Request& request, Response& response) const {
  const auto* copy = Find(name, TagOf(PageLanguage(request)));
  if (!copy) return WriteProblem(Refusal::kNotFound, request, response);
  AddPageHeaders(name, request, response);
  response.cache = "no-cache";
  Give(*copy, request, response);
}

std::vector<PageText> PageLibrary::LookOf(const ConcertLook& look) const {
  return {{"head", LinkOf(site_, look), true},
          {"brand", BrandOf(site_, look), true},
          {"site", look.organizer.value_or(site_.name)}};
}

// Neither file is compressed: the stylesheet fits into one packet, and the logo is a picture, compressed
// already.
bool PageLibrary::AnswerLook(std::string_view file, const Request& request, Response& response) const {
  const auto style = LookStyle(file);
  if (!style && (!site_.logo || site_.logo->name != file)) return false;
  const auto tag = style ? ContentTag(*style) : "\"" + site_.logo->name + "\"";
  response.cache = style ? "public, max-age=86400" : kForAYear;
  response.content_type = style ? "text/css; charset=utf-8" : MediaType(site_.logo->info.type);
  response.AddHeader("X-Content-Type-Options", "nosniff");
  response.AddHeader("ETag", tag);
  if (MatchesTag(request.Header("If-None-Match"), tag)) {
    response.status = 304;
  } else if (style) {
    response.body = *style;
  } else {
    response.shared_body = site_.logo->bytes;
  }
  return true;
}

void PageLibrary::AnswerAsset(std::string_view name, const Request& request, Response& response) const {
  if (AnswerLook(name.substr(kAssets.size()), request, response)) return;
  AnswerFile(name, kForAYear, request, response);
}

void PageLibrary::AnswerClient(std::string_view name, const Request& request, Response& response) const {
  AnswerFile(name, "public, max-age=300", request, response);
}

void PageLibrary::AnswerFile(std::string_view name, std::string_view cache, const Request& request,
                             Response& response) const {
  const auto* copy = Find(name, "");
  if (!copy) return WriteProblem(Refusal::kNotFound, request, response);
  response.cache = cache;
  response.AddHeader("X-Content-Type-Options", "nosniff");
  response.AddHeader("Vary", "Accept-Encoding");
  Give(*copy, request, response);
}

void PageLibrary::AnswerFilled(std::string_view name, const std::vector<PageText>& texts,
                               const Request& request, Response& response) const {
  const auto* copy = Find(name, TagOf(PageLanguage(request)));
  if (!copy) return WriteProblem(Refusal::kNotFound, request, response);
  AddPageHeaders(name, request, response);
  response.content_type = copy->type;
  response.body = FillPage(copy->page->plain(), texts);
}

PageCopy PageLibrary::Fill(std::string_view name, Language language,
                           const std::vector<PageText>& texts) const {
  const auto* copy = Find(name, TagOf(language));
  return MakeCopy(FillPage(copy->page->plain(), texts), copy->type);
}

void PageLibrary::AnswerCopy(const PageCopy& copy, const Request& request, Response& response) const {
  AddPageHeaders("", request, response);
  response.cache = "no-cache";
  Give(copy, request, response);
}

}  // namespace maejin::http
