// Content codings of answers (RFC 9110, 8.4 and 12.5.3): brotli or gzip where the client asks. A text is
// compressed once, at the first request for a coding, and shared afterwards.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "server/request.h"
#include "server/response.h"

namespace maejin::http {

enum class Coding : std::uint8_t { kIdentity, kGzip, kBrotli };
inline constexpr std::size_t kCodings = 3;

// "gzip", "br"; empty for kIdentity.
std::string_view Name(Coding coding);

// The best coding that the client accepts. Brotli is preferred to gzip at equal weight.
Coding AcceptedCoding(std::string_view accept_encoding);

// Smaller texts are sent as they are: they fit into one packet.
inline constexpr std::size_t kLeastCoded = 1400;

// kFast: for texts that change during a sale. kSmall: for texts that do not change.
enum class Effort : std::uint8_t { kFast, kSmall };
// Allocates only the result and the state of the compressor. Precondition: not kIdentity.
std::string Compress(std::string_view text, Coding coding, Effort effort);
// Calls of Compress() since the start, for metrics and tests.
std::uint64_t Compressions();

// The weak form of an entity tag (with its quotes). A compressed answer has a weak tag, because its bytes
// differ from the plain answer.
inline std::string WeakTag(std::string_view tag) { return "W/" + std::string(tag); }

// A text that does not change, in all codings. Thread-safe.
class CodedText {
 public:
  explicit CodedText(std::string_view text);
  // Sets the body in the best coding, its entity tag and Vary. Answers 304 if the client already has the
  // text.
  void Give(const Request& request, Response& response) const;

 private:
  const std::shared_ptr<const std::string> text_;
  const std::string tag_;
  mutable std::mutex mutex_;
  mutable std::array<std::shared_ptr<const std::string>, kCodings> coded_;  // guarded by mutex_
};

}  // namespace maejin::http
