#include "http/seats_pages.h"

#include "http/booking_json.h"

namespace maejin::http {

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
  auto made = std::make_shared<SeatsPage>();
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
