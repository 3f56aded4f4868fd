#include "usecase/manage_picture.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/crypto.h"
#include "base/hex.h"

namespace maejin {
namespace {

constexpr std::size_t kVersionBytes = 8;

std::string VersionOf(std::string_view bytes) {
  const auto digest = Sha256(bytes);
  return HexText(AsText(digest).substr(0, kVersionBytes));
}

Refused Invalid(std::string why) { return Refused{Refusal::kInvalidField, std::move(why)}; }

// A copy has the picture's shape; its height is rounded.
bool HasShapeOf(const StoredPicture& picture, const PictureInfo& copy) {
  const auto expected = static_cast<std::int64_t>(picture.height) * copy.width / picture.width;
  return std::abs(expected - copy.height) <= 1 && copy.width < picture.width;
}

}  // namespace

std::int32_t BestWidth(const StoredPicture& picture, std::int32_t wanted) {
  const auto at = std::lower_bound(picture.widths.begin(), picture.widths.end(), wanted);
  return at == picture.widths.end() ? picture.widths.back() : *at;
}

Task<Outcome<std::string>> ManagePicture::Put(ConcertId concert, std::string bytes,
                                              std::optional<CopyOf> copy, std::string actor) {
  const auto found = co_await concerts_.One(concert);
  if (!found) co_return found.error();
  const auto& limits = LimitsOf(kind_);
  if (bytes.size() > limits.bytes) co_return Refusal::kPayloadTooLarge;
  const auto info = ReadPictureHeader(bytes);
  if (!info) co_return Invalid("picture: must be a JPEG, PNG or WebP picture");
  if (info->width > limits.width || info->height > limits.height)
    co_return Invalid(
        fmt::format("picture: at most {} pixels wide and {} high", limits.width, limits.height));
  auto version = copy ? copy->version : VersionOf(bytes);
  Picture picture{*info, std::make_shared<const std::string>(std::move(bytes))};
  if (!copy) {
    Operator acting_operator{std::move(actor), clock_.Now()};
    const auto put = co_await pictures_.Put(concert, version, std::move(picture), std::move(acting_operator));
    if (!put) co_return put.error();
    co_return version;
  }
  const auto before = pictures_.FindAtOnce(concert);
  if (!before || before->version != version) co_return Invalid("If-Match: is not the picture's version");
  if (info->width != copy->width || !HasShapeOf(*before, *info))
    co_return Invalid("width: must be the picture's width; a copy is narrower and has the same shape");
  const auto put = co_await pictures_.PutCopy(concert, version, std::move(picture));
  if (!put && put.error().why == Refusal::kNotFound)
    co_return Invalid("If-Match: is not the picture's version");
  if (!put) co_return put.error();
  co_return version;
}

Task<Outcome<Done>> ManagePicture::Remove(ConcertId concert, std::string actor) {
  const auto found = co_await concerts_.One(concert);
  if (!found) co_return found.error();
  Operator acting_operator{std::move(actor), clock_.Now()};
  co_return co_await pictures_.Remove(concert, std::move(acting_operator));
}

}  // namespace maejin
