#include "http/booking/seats_pages.h"

#include <algorithm>
#include <utility>

#include "http/booking/json.h"
#include "http/listeners.h"

namespace maejin::http {
namespace {

constexpr std::size_t kLeastVersions = 3;
// At the version limit no new version is rendered while more withdrawn versions than this still have readers.
constexpr std::size_t kMaxWithdrawn = 2;

// The page's text returns to `page_texts` when its last reader releases the page.
std::shared_ptr<SeatsPage> MakePage(const std::shared_ptr<SeatsPageTexts>& page_texts, std::size_t size) {
  std::shared_ptr<SeatsPage> page(new SeatsPage, [page_texts](SeatsPage* read) {
    page_texts->Uncount(read->coded_bytes());
    page_texts->GiveBack(std::move(read->body), read->counted);
    delete read;
  });
  page->body = page_texts->Take(size);
  return page;
}

void WriteForm(std::string& out, const SeatsView& seats, SeatsForm form) {
  if (form == SeatsForm::kFull) return WriteSeats(out, seats);
  if (form == SeatsForm::kCompact) return WriteCompactSeats(out, seats);
  std::string data;
  WriteCompactSeats(data, seats);
  AppendFrame("snapshot", std::to_string(seats.version), data, out);
}

}  // namespace

std::size_t SeatsPage::coded_bytes() const {
  std::size_t bytes = 0;
  for (const auto& text : coded)
    if (!text.empty()) bytes += text.capacity();
  return bytes;
}

SharedText SeatsPages::GetCoded(const std::shared_ptr<const SeatsPage>& page, Coding coding) {
  const std::lock_guard lock(page->coding_mutex);
  auto& text = page->coded[static_cast<std::size_t>(coding)];
  if (text.empty()) {
    text = Compress(page->body, coding, Effort::kFast);
    page_texts_->Count(text.capacity());
  }
  return {std::shared_ptr<const std::string>(page, &text), &page->withdrawn};
}

std::string SeatsPageTexts::Take(std::size_t size) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(texts_.begin(), texts_.end(),
                                  [&](const std::string& text) { return text.capacity() >= size; });
  if (found == texts_.end()) return {};
  auto text = std::move(*found);
  texts_.erase(found);
  bytes_.fetch_sub(text.capacity());
  return text;
}

// Called by destructors: allocates nothing.
void SeatsPageTexts::GiveBack(std::string text, std::size_t counted) {
  text.clear();
  const std::lock_guard lock(mutex_);
  bytes_.fetch_sub(counted);
  if (texts_.size() == kKept || counted == 0) return;
  bytes_.fetch_add(text.capacity());
  texts_.push_back(std::move(text));
}

void SeatsPageTexts::Clear() {
  const std::lock_guard lock(mutex_);
  for (const auto& text : texts_) bytes_.fetch_sub(text.capacity());
  texts_.clear();
}

SeatsPages::Versions& SeatsPages::VersionsOf(ScheduleId schedule, SeatsForm form) {
  const std::lock_guard lock(mutex_);
  auto& found = schedules_[schedule];
  if (!found) found = std::make_unique<FormsOfSchedule>();
  return found->forms[static_cast<std::size_t>(form)];
}

Outcome<std::shared_ptr<const SeatsPage>> SeatsPages::Get(ScheduleId schedule, SeatsForm form) {
  const auto version = read_.Version(schedule);
  if (!version) return Refused{Refusal::kScheduleNotFound, std::to_string(schedule)};
  auto& versions = VersionsOf(schedule, form);
  const std::lock_guard lock(versions.mutex);
  const auto now = std::chrono::steady_clock::now();
  versions.last_used = now;
  auto& newest = versions.newest;
  if (newest && newest->withdrawn) newest.reset();
  if (newest && (newest->version >= *version || KeepsNewest(versions, now))) return {newest};
  if (newest && newest.use_count() == 1) newest.reset();  // frees its text for the next version
  if (bytes() + versions.last_size > options_.bytes && !FreeBytes(versions, now)) {
    if (newest) return {newest};
    return Refusal::kUnavailable;
  }
  return Render(versions, schedule, form);
}

bool SeatsPages::KeepsNewest(Versions& versions, TimePoint now) {
  auto& old = versions.being_read;
  std::erase_if(old, [](const auto& page) { return page.expired(); });
  const auto living = old.size() + (versions.newest.use_count() > 1 ? 1 : 0);
  const auto most =
      std::max(kLeastVersions, options_.bytes / 2 / std::max<std::size_t>(versions.last_size, 1));
  // The least time between two versions, in eighths of the longest pause. The index is the quarter of the
  // version limit that is in use.
  constexpr int kEighths[] = {0, 1, 4, 8};
  const auto quarter = std::min<std::size_t>(living * 4 / most, 3);
  if (now - versions.newest->made < options_.longest_pause * kEighths[quarter] / 8) return true;
  if (living < most) return false;
  std::size_t leaving = 0;
  std::shared_ptr<SeatsPage> oldest;
  for (const auto& one : old) {
    const auto page = one.lock();
    if (!page) continue;
    if (page->withdrawn) ++leaving;
    if (!page->withdrawn && !oldest) oldest = page;
  }
  if (oldest && living - leaving >= most) {
    Withdraw(*oldest);
    ++leaving;
  }
  return leaving > kMaxWithdrawn;
}

void SeatsPages::Withdraw(SeatsPage& page) {
  if (!page.withdrawn.exchange(true)) withdrawn_.fetch_add(1);
}

bool SeatsPages::FreeBytes(const Versions& asking, TimePoint now) {
  page_texts_->Clear();
  if (bytes() + asking.last_size <= options_.bytes) return true;
  std::vector<Versions*> others;
  const std::lock_guard lock(mutex_);
  for (const auto& [schedule, forms] : schedules_) {
    for (auto& versions : forms->forms) {
      if (&versions != &asking) others.push_back(&versions);
    }
  }
  std::vector<std::pair<TimePoint, std::shared_ptr<SeatsPage>>> old;
  std::vector<std::pair<TimePoint, Versions*>> idle;
  for (auto* versions : others) {
    const std::unique_lock its_lock(versions->mutex, std::try_to_lock);
    if (!its_lock) continue;
    for (const auto& one : versions->being_read) {
      if (auto page = one.lock()) old.emplace_back(page->made, std::move(page));
    }
    if (versions->newest && versions->newest.use_count() == 1)
      idle.emplace_back(versions->last_used, versions);
    if (versions->newest && versions->newest.use_count() > 1) {
      old.emplace_back(versions->newest->made, versions->newest);
    }
  }
  std::sort(idle.begin(), idle.end());
  for (const auto& [used, versions] : idle) {
    const std::unique_lock its_lock(versions->mutex, std::try_to_lock);
    if (its_lock && versions->newest.use_count() == 1) versions->newest.reset();
    page_texts_->Clear();
    // Frees pages until an eighth of the budget is free, so that the next call need not search again.
    if (bytes() + asking.last_size <= options_.bytes / 8 * 7) return true;
  }
  if (bytes() + asking.last_size <= options_.bytes) return true;
  std::sort(old.begin(), old.end());
  std::size_t freed = 0;
  for (const auto& [made, page] : old) {
    if (now - made < options_.least_life || freed > asking.last_size) break;
    freed += page->body.capacity();
    Withdraw(*page);
  }
  return false;
}

Outcome<std::shared_ptr<const SeatsPage>> SeatsPages::Render(Versions& versions, ScheduleId schedule,
                                                             SeatsForm form) {
  const auto seats = read_.All(schedule);
  if (!seats) return seats.error();
  auto page = MakePage(page_texts_, versions.last_size);
  WriteForm(page->body, *seats, form);
  page->version = seats->version;
  page->made = std::chrono::steady_clock::now();
  page->counted = page->body.capacity();
  page_texts_->Count(page->counted);
  versions.last_size = page->counted;
  if (versions.newest) versions.being_read.push_back(versions.newest);
  versions.newest = page;
  return {std::move(page)};
}

}  // namespace maejin::http
