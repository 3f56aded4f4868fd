#include "store/picture_table.h"

#include <algorithm>
#include <mutex>

#include "base/json_text.h"

namespace maejin {

void PictureTable::AddRow(Pictures& pictures, ConcertId concert, const std::string& version,
                          PictureInfo info) {
  auto& picture = pictures[concert];
  picture.version = version;
  // Copies are narrower than the picture itself.
  if (info.width > picture.width) {
    picture.width = info.width;
    picture.height = info.height;
  }
  const auto at = std::lower_bound(picture.widths.begin(), picture.widths.end(), info.width);
  if (at == picture.widths.end() || *at != info.width) picture.widths.insert(at, info.width);
}

std::optional<StoredPicture> PictureTable::Find(ConcertId concert) const {
  const std::shared_lock lock(mutex_);
  const auto found = pictures_.find(concert);
  if (found == pictures_.end()) return {};
  return found->second;
}

bool PictureTable::Has(ConcertId concert, const std::string& version) const {
  const std::shared_lock lock(mutex_);
  const auto found = pictures_.find(concert);
  return found != pictures_.end() && found->second.version == version;
}

void PictureTable::Put(ConcertId concert, const std::string& version, PictureInfo info) {
  const std::lock_guard lock(mutex_);
  pictures_.erase(concert);
  AddRow(pictures_, concert, version, info);
  ++changes_;
}

void PictureTable::AddCopy(ConcertId concert, const std::string& version, PictureInfo info) {
  const std::lock_guard lock(mutex_);
  const auto found = pictures_.find(concert);
  if (found == pictures_.end() || found->second.version != version) return;
  AddRow(pictures_, concert, version, info);
  ++changes_;
}

void PictureTable::Erase(ConcertId concert) {
  const std::lock_guard lock(mutex_);
  pictures_.erase(concert);
  ++changes_;
}

std::uint64_t PictureTable::changes() const {
  const std::shared_lock lock(mutex_);
  return changes_;
}

void PictureTable::Replace(Pictures pictures, std::uint64_t changes) {
  const std::lock_guard lock(mutex_);
  if (changes == changes_) pictures_ = std::move(pictures);
}

std::string Describe(const Picture& picture) {
  return JsonObjectText([&](JsonWriter& json) {
    json.Field("type", MediaType(picture.info.type));
    json.Field("width", picture.info.width);
    json.Field("height", picture.info.height);
    json.Field("bytes", static_cast<std::int64_t>(picture.bytes->size()));
  });
}

}  // namespace maejin
