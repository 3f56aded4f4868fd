#include "usecase/manage_poster.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "base/crypto.h"

namespace maejin {
namespace {

constexpr std::size_t kVersionDigits = 16;

std::string VersionOf(std::string_view bytes) {
  const auto digest = Sha256(bytes);
  std::string version;
  for (std::size_t i = 0; i < kVersionDigits / 2; ++i)
    version += fmt::format("{:02x}", static_cast<unsigned char>(AsText(digest)[i]));
  return version;
}

Refused Invalid(std::string why) { return Refused{Refusal::kInvalidField, std::move(why)}; }

// A copy has the poster's shape; its height is rounded.
bool HasShapeOf(const PosterInfo& poster, const PictureInfo& copy) {
  const auto expected = static_cast<std::int64_t>(poster.height) * copy.width / poster.width;
  return std::abs(expected - copy.height) <= 1 && copy.width < poster.width;
}

}  // namespace

std::int32_t BestWidth(const PosterInfo& poster, std::int32_t wanted) {
  const auto at = std::lower_bound(poster.widths.begin(), poster.widths.end(), wanted);
  return at == poster.widths.end() ? poster.widths.back() : *at;
}

Task<Outcome<std::string>> ManagePoster::Put(ConcertId concert, std::string bytes, std::optional<CopyOf> copy,
                                             std::string actor) {
  const auto found = co_await concerts_.One(concert);
  if (!found) co_return found.error();
  if (bytes.size() > kMaxPosterBytes) co_return Refusal::kPayloadTooLarge;
  const auto info = ReadPictureHeader(bytes);
  if (!info) co_return Invalid("picture: must be a JPEG, PNG or WebP picture");
  if (std::max(info->width, info->height) > kMaxPosterSide)
    co_return Invalid(fmt::format("picture: no side may be longer than {} pixels", kMaxPosterSide));
  auto version = copy ? copy->version : VersionOf(bytes);
  Picture picture{*info, std::make_shared<const std::string>(std::move(bytes))};
  if (!copy) {
    Operator acting_operator{std::move(actor), clock_.Now()};
    const auto put = co_await posters_.Put(concert, version, std::move(picture), std::move(acting_operator));
    if (!put) co_return put.error();
    co_return version;
  }
  const auto poster = posters_.FindAtOnce(concert);
  if (!poster || poster->version != version) co_return Invalid("If-Match: is not the poster's version");
  if (info->width != copy->width || !HasShapeOf(*poster, *info))
    co_return Invalid("width: must be the picture's width; a copy is narrower and has the same shape");
  const auto put = co_await posters_.PutCopy(concert, version, std::move(picture));
  if (!put && put.error().why == Refusal::kNotFound)
    co_return Invalid("If-Match: is not the poster's version");
  if (!put) co_return put.error();
  co_return version;
}

Task<Outcome<Done>> ManagePoster::Remove(ConcertId concert, std::string actor) {
  const auto found = co_await concerts_.One(concert);
  if (!found) co_return found.error();
  Operator acting_operator{std::move(actor), clock_.Now()};
  co_return co_await posters_.Remove(concert, std::move(acting_operator));
}

}  // namespace maejin
