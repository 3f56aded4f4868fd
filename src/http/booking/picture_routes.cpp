#include "http/booking/picture_routes.h"

#include <map>
#include <mutex>

#include <fmt/format.h>

#include "http/concert_in.h"
#include "http/entity_tag.h"
#include "http/parse_number.h"

namespace maejin::http {
namespace {

// A cache of the pictures that clients requested, so that a crowd does not read them from the store.
// Thread-safe.
class PictureCache {
 public:
  using Key = std::pair<std::string, std::int32_t>;  // version and width

  std::optional<Picture> Find(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto found = pictures_.find(key);
    if (found == pictures_.end()) return {};
    return found->second;
  }
  void Keep(Key key, Picture picture) {
    const std::lock_guard lock(mutex_);
    bytes_ += picture.bytes->size();
    if (bytes_ > kMostBytes) {
      pictures_.clear();
      bytes_ = picture.bytes->size();
    }
    pictures_.insert_or_assign(std::move(key), std::move(picture));
  }

 private:
  static constexpr std::size_t kMostBytes = 64 << 20;
  std::mutex mutex_;
  std::map<Key, Picture> pictures_;  // guarded by mutex_
  std::size_t bytes_ = 0;            // guarded by mutex_; a replaced picture is counted twice
};

Outcome<std::int32_t> WidthIn(const Request& request, std::int32_t fallback) {
  const auto text = request.Query("width");
  if (!text) return fallback;
  const auto number = ParseNumber(*text);
  if (!number || *number > kPosterLimits.width)
    return Refused{Refusal::kInvalidField, fmt::format("width: must be 1…{}", kPosterLimits.width)};
  return static_cast<std::int32_t>(*number);
}

// Only posters have smaller copies, one for each width.
bool HasCopies(const ManagePicture& manage) { return manage.kind() == PictureKind::kPoster; }

Task<Outcome<Done>> GetPicture(ManagePicture& manage, PictureCache& cache, const Request& request,
                               Response& response) {
  const auto id = ConcertIn(request);
  if (!id) co_return id.error();
  std::int32_t wanted = kPosterLimits.width;
  if (HasCopies(manage)) {
    const auto named = WidthIn(request, wanted);
    if (!named) co_return named.error();
    wanted = *named;
  }
  const auto stored = manage.FindAtOnce(*id);
  if (!stored) co_return Refused{Refusal::kNotFound, std::string(Name(manage.kind()))};
  const auto width = BestWidth(*stored, wanted);
  const auto tag = fmt::format("\"{}-{}\"", stored->version, width);
  const bool unchanged = MatchesTag(request.Header("If-None-Match"), tag);
  PictureCache::Key key{stored->version, width};
  auto picture = cache.Find(key);
  if (!picture && !unchanged) {
    auto read = co_await manage.Read(*id, stored->version, width);
    if (!read) co_return read.error();
    picture = std::move(*read);
    cache.Keep(std::move(key), *picture);
  }
  response.AddHeader("ETag", tag);
  response.AddHeader("X-Content-Type-Options", "nosniff");
  // An address with the version never shows another picture.
  const bool named = request.Query("v") == stored->version;
  response.cache = named ? "public, max-age=31536000, immutable" : "public, max-age=60";
  if (unchanged) {
    response.status = 304;
    co_return Done{};
  }
  response.content_type = MediaType(picture->info.type);
  response.shared_body = picture->bytes;
  co_return Done{};
}

// The smaller copy that a PUT stores: ?width= is its width, and If-Match the version of the whole picture.
// Absent: the PUT stores the whole picture.
Outcome<std::optional<ManagePicture::CopyOf>> CopyIn(const Request& request) {
  if (!request.Query("width")) return std::optional<ManagePicture::CopyOf>();
  const auto width = WidthIn(request, 0);
  if (!width) return width.error();
  auto tag = request.Header("If-Match");
  if (tag.size() < 2 || tag.front() != '"' || tag.back() != '"')
    return Refused{Refusal::kInvalidField, "If-Match: must be the picture's version, in quotes"};
  tag = tag.substr(1, tag.size() - 2);
  return std::optional<ManagePicture::CopyOf>({std::string(tag), *width});
}

Task<Outcome<Done>> PutPicture(ManagePicture& manage, const Request& request, BodyReader& body,
                               Response& response) {
  const auto id = ConcertIn(request);
  if (!id) co_return id.error();
  std::optional<ManagePicture::CopyOf> copy;
  if (HasCopies(manage)) {
    auto named = CopyIn(request);
    if (!named) co_return named.error();
    copy = std::move(*named);
  }
  std::string bytes;
  while (bytes.size() <= LimitsOf(manage.kind()).bytes) {
    const auto piece = co_await body.Next();
    if (!piece) co_return piece.error();
    if (piece->empty()) break;
    bytes += *piece;
  }
  const auto version = co_await manage.Put(*id, std::move(bytes), std::move(copy), request.actor);
  if (!version) co_return version.error();
  response.status = 204;
  response.AddHeader("ETag", fmt::format("\"{}\"", *version));
  co_return Done{};
}

Task<Outcome<Done>> DeletePicture(ManagePicture& manage, const Request& request, Response& response) {
  const auto id = ConcertIn(request);
  if (!id) co_return id.error();
  const auto removed = co_await manage.Remove(*id, request.actor);
  if (!removed) co_return removed.error();
  response.status = 204;
  co_return Done{};
}

}  // namespace

void AddPictureRoutes(Router& router, ManagePicture& manage) {
  const auto pattern = fmt::format("/api/v1/concerts/{{id}}/{}", Name(manage.kind()));
  const auto cache = std::make_shared<PictureCache>();
  router.Add({.pattern = pattern, .handler = [&manage, cache](const Request& request, Response& response) {
                return GetPicture(manage, *cache, request, response);
              }});
  router.Add({.method = Method::kPut,
              .pattern = pattern,
              .access = Access::kAdmin,
              .priority = Priority::kAlways,
              .upload = [&manage](const Request& request, BodyReader& body, Response& response) {
                return PutPicture(manage, request, body, response);
              }});
  router.Add({.method = Method::kDelete,
              .pattern = pattern,
              .access = Access::kAdmin,
              .priority = Priority::kAlways,
              .handler = [&manage](const Request& request, Response& response) {
                return DeletePicture(manage, request, response);
              }});
}

}  // namespace maejin::http
