#include "domain/waiting_room/places.h"

namespace maejin {

Place* Places::Find(PlaceNumber number) {
  const auto block = number / kPerBlock;
  if (block >= blocks_.size() || !blocks_[block]) return nullptr;
  auto& place = blocks_[block]->places[number % kPerBlock];
  return place.living ? &place : nullptr;
}

std::size_t Places::Locate(const UserKey& user) const {
  const auto mask = index_.size() - 1;
  for (auto entry = static_cast<std::size_t>(user.low) & mask;; entry = (entry + 1) & mask) {
    const auto number = index_[entry];
    if (number == 0) return entry;
    if (number == kTombstone) continue;
    if (blocks_[number / kPerBlock]->places[number % kPerBlock].user == user) return entry;
  }
}

PlaceNumber Places::FindUser(const UserKey& user) const { return index_.empty() ? 0 : index_[Locate(user)]; }

Place& Places::Add(PlaceNumber number, const UserKey& user) {
  if (taken_ * 4 >= index_.size() * 3) Rehash();
  const auto block = number / kPerBlock;
  if (block >= blocks_.size()) blocks_.resize(block + 1);
  if (!blocks_[block]) blocks_[block] = std::make_unique<Block>();
  ++blocks_[block]->living;
  ++size_;
  auto& place = blocks_[block]->places[number % kPerBlock];
  place = Place{};
  place.living = true;
  place.user = user;
  index_[Locate(user)] = number;
  ++taken_;
  return place;
}

void Places::Remove(PlaceNumber number) {
  auto& block = blocks_[number / kPerBlock];
  auto& place = block->places[number % kPerBlock];
  const auto entry = Locate(place.user);
  // A search that passes this entry ends at the next one if that is empty, so no tombstone is needed.
  if (index_[(entry + 1) & (index_.size() - 1)] == 0) {
    index_[entry] = 0;
    --taken_;
  } else {
    index_[entry] = kTombstone;
  }
  place.living = false;
  --size_;
  if (--block->living == 0) block.reset();
}

// The index is at most half full afterwards. It may also shrink, because tombstones are dropped.
void Places::Rehash() {
  std::size_t entries = 16;
  while (size_ * 4 >= entries * 2) entries *= 2;
  std::vector<PlaceNumber> old(entries);
  index_.swap(old);
  for (const auto number : old) {
    if (number != 0 && number != kTombstone)
      index_[Locate(blocks_[number / kPerBlock]->places[number % kPerBlock].user)] = number;
  }
  taken_ = size_;
}

std::size_t Places::bytes() const {
  std::size_t blocks = 0;
  for (const auto& block : blocks_) blocks += block ? sizeof(Block) + 16 : 0;
  return blocks + blocks_.capacity() * sizeof(blocks_[0]) + index_.capacity() * sizeof(PlaceNumber);
}

}  // namespace maejin
