// The first entry of a backup of a data folder or of a database: the version that wrote it, the schema and
// the time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/sealed_file.h"
#include "base/time.h"

namespace maejin {

inline constexpr std::string_view kManifestEntry = "manifest.json";

struct BackupManifest {
  std::string version;  // the version of the maejin that wrote the backup
  std::int64_t schema = 0;
  Time taken_at{};
};

std::string ToJson(const BackupManifest& manifest);
// The error is a sentence for the operator.
FileResult<BackupManifest> ReadManifest(const std::string& text);

}  // namespace maejin
