#include "store/poster_table.h"

#include <algorithm>
#include <mutex>

#include "base/json_writer.h"

namespace maejin {

void PosterTable::AddRow(Posters& posters, ConcertId concert, const std::string& version, PictureInfo info) {
  auto& poster = posters[concert];
  poster.version = version;
  // Copies are narrower than the picture itself.
  if (info.width > poster.width) {
    poster.width = info.width;
    poster.height = info.height;
  }
  const auto at = std::lower_bound(poster.widths.begin(), poster.widths.end(), info.width);
  if (at == poster.widths.end() || *at != info.width) poster.widths.insert(at, info.width);
}

std::optional<PosterInfo> PosterTable::Find(ConcertId concert) const {
  const std::shared_lock lock(mutex_);
  const auto found = posters_.find(concert);
  if (found == posters_.end()) return {};
  return found->second;
}

bool PosterTable::Has(ConcertId concert, const std::string& version) const {
  const std::shared_lock lock(mutex_);
  const auto found = posters_.find(concert);
  return found != posters_.end() && found->second.version == version;
}

void PosterTable::Put(ConcertId concert, const std::string& version, PictureInfo info) {
  const std::lock_guard lock(mutex_);
  posters_.erase(concert);
  AddRow(posters_, concert, version, info);
  ++changes_;
}

void PosterTable::AddCopy(ConcertId concert, const std::string& version, PictureInfo info) {
  const std::lock_guard lock(mutex_);
  const auto found = posters_.find(concert);
  if (found == posters_.end() || found->second.version != version) return;
  AddRow(posters_, concert, version, info);
  ++changes_;
}

void PosterTable::Erase(ConcertId concert) {
  const std::lock_guard lock(mutex_);
  posters_.erase(concert);
  ++changes_;
}

std::uint64_t PosterTable::changes() const {
  const std::shared_lock lock(mutex_);
  return changes_;
}

void PosterTable::Replace(Posters posters, std::uint64_t changes) {
  const std::lock_guard lock(mutex_);
  if (changes == changes_) posters_ = std::move(posters);
}

std::string Describe(const Picture& picture) {
  std::string out;
  JsonWriter json(out);
  json.Object([&] {
    json.Field("type", MediaType(picture.info.type));
    json.Field("width", picture.info.width);
    json.Field("height", picture.info.height);
    json.Field("bytes", static_cast<std::int64_t>(picture.bytes->size()));
  });
  return out;
}

}  // namespace maejin
