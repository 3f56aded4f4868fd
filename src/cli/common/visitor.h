// A visitor of a site, like a browser: keeps cookies and follows redirects, over http and https. Blocking.
// Not thread-safe: one visitor per thread. Only the implementation includes libcurl.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "base/time.h"

namespace maejin::cli {

struct VisitedPage {
  int status = 0;
  std::string url;  // after all redirects
};

class SiteVisitor {
 public:
  explicit SiteVisitor(Seconds timeout);
  ~SiteVisitor();
  SiteVisitor(SiteVisitor&&) noexcept;
  SiteVisitor& operator=(SiteVisitor&&) noexcept;

  // Opens the address. The error is a sentence: no answer, or too many redirects.
  Result<VisitedPage, std::string> Open(std::string url);
  // The waiting page that a redirect led to, "https://wait.example/wait/shop?return=…"; empty: none so far.
  const std::string& waiting_page() const;
  // Gives the slot back if the visitor has one: sends the pass in its cookie to the waiting page's host.
  void Leave();

 private:
  class Browser;
  std::unique_ptr<Browser> browser_;
};

// Whether the address is a waiting page of maejin.
bool IsWaitingPage(const std::string& url);

}  // namespace maejin::cli
