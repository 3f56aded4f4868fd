#include "adapters/redis/waiting_room/told_ranks.h"

#include "adapters/redis/waiting_room/little_endian.h"

namespace maejin::redis {
namespace {

std::uint32_t Tenths(Time time) { return static_cast<std::uint32_t>(ToMillis(time) / 100); }

}  // namespace

void ToldRanks::Tell(PlaceNumber number, std::uint32_t rank, Time now, Millis ask_after) {
  // A client may ask somewhat sooner or later than it was asked to; who has asked twice took longer than this.
  const auto told = std::uint64_t{Tenths(now + ask_after * 5 / 4)} << 32 | (rank + 1);
  const auto at = number % kPage;
  {
    const std::shared_lock lock(mutex_);
    const auto page = pages_.find(number / kPage);
    if (page != pages_.end()) return (*page->second)[at].store(told, std::memory_order_relaxed);
  }
  const std::unique_lock lock(mutex_);
  auto& page = pages_[number / kPage];
  if (!page) page = std::make_unique<Page>();
  (*page)[at].store(told, std::memory_order_relaxed);
}

std::uint64_t ToldRanks::Get(PlaceNumber number) const {
  const std::shared_lock lock(mutex_);
  const auto page = pages_.find(number / kPage);
  return page == pages_.end() ? 0 : (*page->second)[number % kPage].load(std::memory_order_relaxed);
}

std::optional<std::uint32_t> ToldRanks::Last(PlaceNumber number) const {
  const auto told = static_cast<std::uint32_t>(Get(number));
  if (told == 0) return {};
  return told - 1;
}

std::optional<std::uint32_t> ToldRanks::LastOfAll(PlaceNumber number, Time now) const {
  const auto told = Get(number);
  const auto left = static_cast<std::int32_t>(static_cast<std::uint32_t>(told >> 32) - Tenths(now));
  if (static_cast<std::uint32_t>(told) == 0 || left < 0) return {};
  return static_cast<std::uint32_t>(told) - 1;
}

std::vector<RanksPiece> ToldRanks::Pieces() const {
  const std::shared_lock lock(mutex_);
  std::vector<RanksPiece> pieces;
  for (const auto& [index, page] : pages_) {
    for (std::size_t first = 0; first < kPage; first += RanksPiece::kNumbers) {
      RanksPiece piece{(index * kPage + first) / RanksPiece::kNumbers, {}};
      bool told = false;
      for (std::size_t i = first; i < first + RanksPiece::kNumbers; ++i) {
        const auto rank = static_cast<std::uint32_t>((*page)[i].load(std::memory_order_relaxed));
        told = told || rank != 0;
        AppendLittleEndian(piece.bytes, rank);
      }
      if (told) pieces.push_back(std::move(piece));
    }
  }
  return pieces;
}

void AgreedRanks::Take(Time lost_at, std::vector<RanksPiece> pieces) {
  const std::unique_lock lock(mutex_);
  lost_at_ = lost_at;
  pieces_.clear();
  for (auto& piece : pieces) pieces_[piece.index] = std::move(piece.bytes);
}

bool AgreedRanks::Knows(Time lost_at) const {
  const std::shared_lock lock(mutex_);
  return lost_at_ == lost_at;
}

std::optional<std::uint32_t> AgreedRanks::Of(Time lost_at, PlaceNumber number) const {
  const std::shared_lock lock(mutex_);
  const auto piece = pieces_.find(number / RanksPiece::kNumbers);
  const auto at = number % RanksPiece::kNumbers * 4;
  if (lost_at_ != lost_at || piece == pieces_.end() || at + 4 > piece->second.size()) return {};
  const auto rank = LittleEndian(piece->second.data() + at);
  if (rank == 0) return {};
  return rank - 1;
}

}  // namespace maejin::redis
