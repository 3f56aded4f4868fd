#include "http/booking/seats_pages.h"

#include <utility>

#include "http/booking/json.h"

namespace maejin::http {
namespace {

// The buffer returns to `paper` when the last reader releases the page.
std::shared_ptr<SeatsPage> MakePage(const std::shared_ptr<SeatsPaper>& paper) {
  std::shared_ptr<SeatsPage> page(new SeatsPage, [paper](SeatsPage* read) {
    paper->GiveBack(std::move(read->body));
    delete read;
  });
  page->body = paper->Take();
  return page;
}

}  // namespace

std::string SeatsPaper::Take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(text_, {});
}

void SeatsPaper::GiveBack(std::string text) {
  text.clear();
  const std::lock_guard lock(mutex_);
  text_.swap(text);
}

Outcome<std::shared_ptr<const SeatsPage>> SeatsPages::Get(ScheduleId schedule, SeatsForm form) {
  const auto version = read_.Version(schedule);
  if (!version) return Refused{Refusal::kScheduleNotFound, std::to_string(schedule)};
  Slot* slot = nullptr;
  {
    const std::lock_guard lock(mutex_);
    auto& found = slots_[schedule];
    if (!found) found = std::make_unique<Slot>();
    slot = found.get();
  }
  const std::lock_guard lock(slot->mutex);
  auto& page = slot->page[static_cast<std::size_t>(form)];
  if (page && page->version >= *version) return page;
  const auto seats = read_.All(schedule);
  if (!seats) return seats.error();
  page.reset();
  auto made = MakePage(slot->paper[static_cast<std::size_t>(form)]);
  made->version = seats->version;
  if (form == SeatsForm::kFull) {
    WriteSeats(made->body, *seats);
  } else {
    WriteCompactSeats(made->body, *seats);
  }
  page = std::move(made);
  return page;
}

}  // namespace maejin::http
