#include "adapters/embedded/sale_registry.h"

namespace maejin::embedded {

Sale* SaleRegistry::FindSale(ConcertId concert) const {
  const std::shared_lock lock(mutex_);
  const auto found = sales_.find(concert);
  return found == sales_.end() ? nullptr : found->second.get();
}

ScheduleEntry* SaleRegistry::FindEntry(ScheduleId schedule) const {
  const std::shared_lock lock(mutex_);
  const auto found = entries_.find(schedule);
  return found == entries_.end() ? nullptr : found->second.get();
}

std::vector<Sale*> SaleRegistry::AllSales() const {
  const std::shared_lock lock(mutex_);
  std::vector<Sale*> all;
  all.reserve(sales_.size());
  for (const auto& [id, sale] : sales_) all.push_back(sale.get());
  return all;
}

void SaleRegistry::Enter(std::unique_ptr<Sale> sale) {
  const std::unique_lock lock(mutex_);
  sales_.emplace(sale->concert.id(), std::move(sale));
}

void SaleRegistry::RegisterSchedules(Sale& sale) {
  const std::unique_lock lock(mutex_);
  const auto& schedules = sale.concert.schedules();
  for (auto i = sale.entries.size(); i < schedules.size(); ++i) {
    auto entry = std::make_unique<ScheduleEntry>();
    entry->sale = &sale;
    entry->schedule = &schedules[i];
    sale.entries.push_back(entry.get());
    entries_.emplace(schedules[i].id, std::move(entry));
  }
}

std::vector<std::pair<ConcertId, Sale*>> SaleRegistry::PageOfSales(ConcertId after, std::size_t limit) const {
  const std::shared_lock lock(mutex_);
  std::vector<std::pair<ConcertId, Sale*>> page;
  for (auto it = sales_.upper_bound(after); it != sales_.end() && page.size() < limit; ++it) {
    page.emplace_back(it->first, it->second.get());
  }
  return page;
}

}  // namespace maejin::embedded
