// The pages of a concert, with its organiser's colour, name and logo. The page /events/{eventId} has title,
// description, Open Graph tags and poster in its markup. So other sites can show a preview of a link to it. A
// page is filled and compressed once for each change of the concert.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "http/pages/page_library.h"
#include "http/pages/plain_parts.h"

namespace maejin::http {

// Thread-safe.
class EventPages {
 public:
  // The clock outlives it. `public_url`: maejin's address as browsers see it. Empty: unknown; then the tags
  // that need it are left out.
  EventPages(FindPlainConcert find, const Clock& clock, std::string public_url,
             std::shared_ptr<const PageLibrary> library);

  // GET /events/{eventId}. Refuses: kConcertNotFound.
  Task<Outcome<Done>> Show(const Request& request, Response& response);
  // Answers with another page of a concert. An unknown concert gets the page, too: its script shows the
  // error. Never waits.
  void ShowPage(std::string_view name, const Request& request, Response& response);

 private:
  struct Key {
    std::string event;
    Language language = Language::kEnglish;
    std::string_view page;  // static lifetime

    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Kept {
    std::string facts;  // the texts on the page
    PageCopy page;
    Time read_at;
  };
  // Absent: no such concert.
  std::optional<PageCopy> Find(const Key& key);
  std::vector<PageText> TextsFor(const Key& key, const PlainConcert& concert) const;
  PageCopy Make(const Key& key, const PlainConcert& concert, const std::vector<PageText>& texts);
  // A page with the server's look, shared by all concerts without a look of their own.
  PageCopy FindShared(const Key& key);

  const FindPlainConcert find_;
  const Clock& clock_;
  const std::string public_url_;
  const std::shared_ptr<const PageLibrary> library_;
  std::mutex mutex_;
  std::map<Key, Kept> pages_;                                         // guarded by mutex_
  std::map<std::pair<std::string_view, Language>, PageCopy> shared_;  // by page; guarded by mutex_
};

}  // namespace maejin::http
