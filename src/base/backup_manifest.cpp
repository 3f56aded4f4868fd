#include "base/backup_manifest.h"

#include <boost/json/parse.hpp>

#include "base/json_text.h"

namespace maejin {

std::string ToJson(const BackupManifest& manifest) {
  return JsonObjectText([&](JsonWriter& json) {
    json.Field("maejin", manifest.version);
    json.Field("schema", manifest.schema);
    json.Field("takenAt", manifest.taken_at);
  });
}

FileResult<BackupManifest> ReadManifest(const std::string& text) {
  boost::system::error_code error;
  const auto value = boost::json::parse(text, error);
  const auto* object = error ? nullptr : value.if_object();
  if (!object) return std::string("the backup has no manifest");
  const auto* version = object->if_contains("maejin");
  const auto* schema = object->if_contains("schema");
  const auto* taken = object->if_contains("takenAt");
  if (!version || !version->is_string() || !schema || !schema->is_int64() || !taken || !taken->is_string())
    return std::string("the backup's manifest is incomplete");
  const auto at = ParseTime(std::string_view(taken->get_string()));
  if (!at) return std::string("the backup's manifest is incomplete");
  return BackupManifest{std::string(version->get_string()), schema->get_int64(), *at};
}

}  // namespace maejin
