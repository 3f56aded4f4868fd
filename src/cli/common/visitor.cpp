#include "cli/common/visitor.h"

#include <curl/curl.h>

#include "domain/waiting_room/return_url.h"

namespace maejin::cli {
namespace {

constexpr int kMaxRedirects = 10;

std::size_t Discard(char*, std::size_t size, std::size_t count, void*) { return size * count; }

}  // namespace

bool IsWaitingPage(const std::string& url) {
  const auto parsed = ParseWebUrl(url);
  return parsed && parsed->segments.size() == 2 && parsed->segments.front() == "wait";
}

class SiteVisitor::Browser {
 public:
  explicit Browser(Seconds timeout) : curl_(curl_easy_init()) {
    curl_easy_setopt(curl_, CURLOPT_COOKIEFILE, "");  // keeps cookies, reads no file
    curl_easy_setopt(curl_, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl_, CURLOPT_TIMEOUT, static_cast<long>(timeout.count()));
    curl_easy_setopt(curl_, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl_, CURLOPT_PROXY, "");
    curl_easy_setopt(curl_, CURLOPT_WRITEFUNCTION, Discard);
    curl_easy_setopt(curl_, CURLOPT_USERAGENT, "maejin rehearsal");
    headers_ = curl_slist_append(nullptr, "Accept: text/html");
    curl_easy_setopt(curl_, CURLOPT_HTTPHEADER, headers_);
  }
  ~Browser() {
    curl_easy_cleanup(curl_);
    curl_slist_free_all(headers_);
  }
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  Result<VisitedPage, std::string> Open(std::string url) {
    for (int redirects = 0; redirects <= kMaxRedirects; ++redirects) {
      if (IsWaitingPage(url)) waiting_page = url;
      curl_easy_setopt(curl_, CURLOPT_URL, url.c_str());
      const auto code = curl_easy_perform(curl_);
      if (code != CURLE_OK) return std::string(curl_easy_strerror(code));
      long status = 0;
      char* next = nullptr;
      curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &status);
      curl_easy_getinfo(curl_, CURLINFO_REDIRECT_URL, &next);
      if (next == nullptr) return VisitedPage{static_cast<int>(status), std::move(url)};
      url = next;
    }
    return std::string("too many redirects");
  }

  void Leave() {
    const auto page = ParseWebUrl(waiting_page);
    const auto pass = page ? Pass(page->segments.back()) : std::string();
    if (pass.empty()) return;
    const auto url = page->Origin() + "/api/v1/rooms/" + page->segments.back() + "/entries/me";
    auto* headers = curl_slist_append(nullptr, ("X-Maejin-Pass: " + pass).c_str());
    curl_easy_setopt(curl_, CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl_, CURLOPT_CUSTOMREQUEST, "DELETE");
    curl_easy_setopt(curl_, CURLOPT_HTTPHEADER, headers);
    curl_easy_perform(curl_);
    curl_slist_free_all(headers);
    curl_easy_setopt(curl_, CURLOPT_CUSTOMREQUEST, nullptr);
    curl_easy_setopt(curl_, CURLOPT_HTTPHEADER, headers_);
  }

  std::string waiting_page;

 private:
  // The pass in the cookie of a room. curl lists cookies in Netscape's format, where the value is the last
  // field.
  std::string Pass(const std::string& room) const {
    curl_slist* cookies = nullptr;
    curl_easy_getinfo(curl_, CURLINFO_COOKIELIST, &cookies);
    std::string found;
    for (const auto* each = cookies; each != nullptr; each = each->next) {
      const std::string line(each->data);
      const auto value = line.rfind('\t');
      const auto name = value == std::string::npos ? value : line.rfind('\t', value - 1);
      if (name == std::string::npos) continue;
      const auto cookie = line.substr(name + 1, value - name - 1);
      if (cookie == "maejin-" + room || cookie == "__Host-maejin-" + room) found = line.substr(value + 1);
    }
    curl_slist_free_all(cookies);
    return found;
  }

  CURL* curl_;
  curl_slist* headers_ = nullptr;
};

SiteVisitor::SiteVisitor(Seconds timeout) : browser_(std::make_unique<Browser>(timeout)) {}
SiteVisitor::~SiteVisitor() = default;
SiteVisitor::SiteVisitor(SiteVisitor&&) noexcept = default;
SiteVisitor& SiteVisitor::operator=(SiteVisitor&&) noexcept = default;

Result<VisitedPage, std::string> SiteVisitor::Open(std::string url) { return browser_->Open(std::move(url)); }
const std::string& SiteVisitor::waiting_page() const { return browser_->waiting_page; }
void SiteVisitor::Leave() { browser_->Leave(); }

}  // namespace maejin::cli
