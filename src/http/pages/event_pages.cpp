#include "http/pages/event_pages.h"

#include <fmt/format.h>

#include "http/pages/page_words.h"
#include "http/picture_url.h"

namespace maejin::http {
namespace {

constexpr Seconds kReadEvery{1};
constexpr std::size_t kMostPages = 1000;
constexpr std::string_view kLinePage = "event.html";

std::string PriceText(const PlainConcert& concert, Language language) {
  return fmt::format(fmt::runtime(WordsIn(language).from), MoneyText(concert.price_from, language));
}

std::string DescriptionOf(const PlainConcert& concert, Language language) {
  auto text = concert.artist + " · " + concert.venue;
  if (!concert.shows.empty()) text += " · " + FormatDate(concert.shows.front().date);
  if (concert.shows.size() > 1) text += " – " + FormatDate(concert.shows.back().date);
  return text + " · " + PriceText(concert, language);
}

std::string Meta(std::string_view kind, std::string_view name, std::string_view content) {
  return fmt::format("<meta {}=\"{}\" content=\"{}\">", kind, name, EscapeHtml(content));
}

std::string PosterUrl(const PlainConcert& concert, std::int32_t width) {
  return fmt::format("{}&width={}", PictureUrl(PictureKind::kPoster, concert.id, concert.poster->version),
                     width);
}

// Addresses in Open Graph tags are absolute.
std::string HeadOf(const PlainConcert& concert, Language language, std::string_view origin,
                   std::string_view site) {
  const auto description = DescriptionOf(concert, language);
  auto head = Meta("name", "description", description) + Meta("property", "og:type", "website") +
              Meta("property", "og:title", concert.title) + Meta("property", "og:description", description) +
              Meta("property", "og:site_name", site) +
              Meta("property", "og:locale", WordsIn(language).open_graph);
  if (origin.empty()) return head;
  head += Meta("property", "og:url", fmt::format("{}/events/{}", origin, concert.id));
  if (!concert.poster) return head;
  const auto& poster = *concert.poster;
  return head + Meta("property", "og:image", std::string(origin) + PosterUrl(concert, poster.width)) +
         Meta("property", "og:image:width", std::to_string(poster.width)) +
         Meta("property", "og:image:height", std::to_string(poster.height)) +
         Meta("name", "twitter:card", "summary_large_image");
}

// The concert's title stands beside the poster, so the poster's text alternative is empty.
std::string ArtOf(const PlainConcert& concert) {
  if (!concert.poster) return {};
  std::string sources;
  for (const auto width : concert.poster->widths)
    sources +=
        fmt::format("{}{} {}w", sources.empty() ? "" : ", ", EscapeHtml(PosterUrl(concert, width)), width);
  return fmt::format(
      "<img src=\"{}\" srcset=\"{}\" sizes=\"(max-width: 34rem) 100vw, 34rem\" width=\"{}\" height=\"{}\" "
      "alt=\"\">",
      EscapeHtml(PosterUrl(concert, concert.poster->width)), sources, concert.poster->width,
      concert.poster->height);
}

}  // namespace

EventPages::EventPages(FindPlainConcert find, const Clock& clock, std::string public_url,
                       std::shared_ptr<const PageLibrary> library)
    : find_(std::move(find)),
      clock_(clock),
      public_url_(std::move(public_url)),
      library_(std::move(library)) {}

std::vector<PageText> EventPages::TextsFor(const Key& key, const PlainConcert& concert) const {
  auto texts = library_->LookOf(LookOf(concert));
  if (key.page != kLinePage) return texts;
  const auto site = concert.organizer.value_or(library_->site().name);
  const auto facts = concert.artist + " · " + concert.venue + " · " + PriceText(concert, key.language);
  // The tags stand before the stylesheet's link.
  texts.insert(texts.begin(), {"head", HeadOf(concert, key.language, public_url_, site), true});
  texts.push_back({"page", concert.title});
  texts.push_back({"name", concert.title});
  texts.push_back({"who", facts + OrganizerText(concert, key.language)});
  texts.push_back({"art", ArtOf(concert), true});
  return texts;
}

PageCopy EventPages::FindShared(const Key& key) {
  const std::pair name(key.page, key.language);
  {
    const std::lock_guard lock(mutex_);
    const auto found = shared_.find(name);
    if (found != shared_.end()) return found->second;
  }
  auto made = library_->Fill(key.page, key.language, library_->LookOf({}));
  const std::lock_guard lock(mutex_);
  return shared_.try_emplace(name, std::move(made)).first->second;
}

PageCopy EventPages::Make(const Key& key, const PlainConcert& concert, const std::vector<PageText>& texts) {
  const bool shared = key.page != kLinePage && LookOf(concert).IsOfServer();
  return shared ? FindShared(key) : library_->Fill(key.page, key.language, texts);
}

std::optional<PageCopy> EventPages::Find(const Key& key) {
  const auto now = clock_.Now();
  std::string facts;
  {
    const std::lock_guard lock(mutex_);
    const auto kept = pages_.find(key);
    if (kept != pages_.end()) {
      if (now < kept->second.read_at + kReadEvery) return kept->second.page;
      facts = kept->second.facts;
    }
  }
  const auto concert = find_(key.event);
  if (!concert) return {};
  const auto texts = TextsFor(key, *concert);
  std::string fresh;
  for (const auto& text : texts) fresh += text.text + '\n';
  // The page is filled without the lock, so that other pages are answered meanwhile.
  auto page = fresh == facts ? PageCopy() : Make(key, *concert, texts);
  const std::lock_guard lock(mutex_);
  if (pages_.size() >= kMostPages) pages_.clear();
  auto& kept = pages_[key];
  if (kept.page.page && kept.read_at > now) return kept.page;  // another request read the concert later
  kept.read_at = now;
  if (kept.page.page && kept.facts == fresh) return kept.page;
  // Another request replaced or evicted the kept page since it was read above.
  if (!page.page) page = library_->Fill(key.page, key.language, texts);
  kept.page = std::move(page);
  kept.facts = std::move(fresh);
  return kept.page;
}

Task<Outcome<Done>> EventPages::Show(const Request& request, Response& response) {
  Key key{std::string(request.params[0]), PageLanguage(request), kLinePage};
  const auto page = Find(key);
  if (!page) co_return Refused(Refusal::kConcertNotFound, key.event);
  library_->AnswerCopy(*page, request, response);
  co_return Done{};
}

void EventPages::ShowPage(std::string_view name, const Request& request, Response& response) {
  const Key key{std::string(request.params[0]), PageLanguage(request), name};
  const auto page = Find(key);
  library_->AnswerCopy(page ? *page : FindShared(key), request, response);
}

}  // namespace maejin::http
