#include "http/pages/page_library.h"

#include "http/coding.h"
#include "http/cookies.h"
#include "http/entity_tag.h"
#include "http/problem.h"

namespace maejin::http {
namespace {

// Only scripts, styles and connections of this server; nothing inline.
constexpr std::string_view kContentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors";
constexpr std::string_view kLanguageCookie = "maejin-lang";

std::string Policy(const std::vector<std::string>& frame_ancestors) {
  std::string policy(kContentSecurityPolicy);
  for (const auto& origin : frame_ancestors) policy += " " + origin;
  return frame_ancestors.empty() ? policy + " 'none'" : policy;
}

std::string_view NameOf(Language language) { return language == Language::kKorean ? "ko" : "en"; }

}  // namespace

Language PageLanguage(const Request& request) {
  const auto chosen = request.Query("lang");
  const auto kept = FindCookie(request.Header("Cookie"), kLanguageCookie);
  const std::string_view name = chosen && (*chosen == "ko" || *chosen == "en") ? *chosen : kept;
  if (name == "ko") return Language::kKorean;
  if (name == "en") return Language::kEnglish;
  return request.language;
}

std::string EscapeHtml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
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

PageLibrary::PageLibrary(const std::vector<std::string>& frame_ancestors)
    : policy_(Policy(frame_ancestors)), console_policy_(Policy({})) {
  for (const auto& file : WebFiles()) {
    copies_.try_emplace({file.name, file.language},
                        Copy{&file, std::make_shared<const std::string>(file.plain),
                             std::make_shared<const std::string>(file.gzip),
                             std::make_shared<const std::string>(file.brotli)});
  }
}

const PageLibrary::Copy* PageLibrary::Find(std::string_view name, std::string_view language) const {
  const auto found = copies_.find({name, language});
  return found == copies_.end() ? nullptr : &found->second;
}

void PageLibrary::AddPageHeaders(std::string_view name, const Request& request, Response& response) const {
  response.AddHeader("Content-Security-Policy", name == "console.html" ? console_policy_ : policy_);
  response.AddHeader("X-Content-Type-Options", "nosniff");
  response.AddHeader("Referrer-Policy", "same-origin");
  response.AddHeader("Vary", "Accept-Encoding, Accept-Language, Cookie");
  const auto chosen = request.Query("lang");
  if (!chosen || (*chosen != "ko" && *chosen != "en")) return;
  response.AddHeader("Set-Cookie", std::string(kLanguageCookie) + "=" + *chosen +
                                       "; Path=/; Max-Age=31536000; SameSite=Lax");
}

void PageLibrary::Give(const Copy& copy, const Request& request, Response& response) {
  const auto coding = AcceptedCoding(request.Header("Accept-Encoding"));
  response.content_type = copy.file->type;
  response.AddHeader("ETag",
                     coding == Coding::kIdentity ? std::string(copy.file->etag) : WeakTag(copy.file->etag));
  if (MatchesTag(request.Header("If-None-Match"), copy.file->etag)) {
    response.status = 304;
    return;
  }
  if (coding != Coding::kIdentity) response.AddHeader("Content-Encoding", Name(coding));
  response.shared_body = coding == Coding::kIdentity ? copy.plain
                         : coding == Coding::kGzip   ? copy.gzip
                                                     : copy.brotli;
}

void PageLibrary::AnswerPage(std::string_view name, const Request& request, Response& response) const {
  const auto* copy = Find(name, NameOf(PageLanguage(request)));
  if (!copy) return WriteProblem(Refusal::kNotFound, request, response);
  AddPageHeaders(name, request, response);
  response.cache = "no-cache";
  Give(*copy, request, response);
}

void PageLibrary::AnswerAsset(std::string_view name, const Request& request, Response& response) const {
  AnswerFile(name, "public, max-age=31536000, immutable", request, response);
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
  const auto* copy = Find(name, NameOf(PageLanguage(request)));
  if (!copy) return WriteProblem(Refusal::kNotFound, request, response);
  AddPageHeaders(name, request, response);
  response.content_type = copy->file->type;
  response.body = FillPage(copy->file->plain, texts);
}

}  // namespace maejin::http
