// A cache of rendered answers, valid while the version of their data is unchanged. Each language has 16
// shards. Serving threads are spread over them, so that they rarely wait for one lock. Every shard has a
// limit of bytes. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/time.h"
#include "http/coding.h"
#include "server/request.h"
#include "server/response.h"

namespace maejin::http {

class AnswerCache {
 public:
  // The version of the answer's data. Read it before making the answer.
  struct Stamp {
    std::uint64_t version = 0;
    Time valid_until = Time::max();
  };

  // Answers from the cache: 200, or 304 if the client has this version. False: not cached.
  bool Serve(const Request& request, std::uint64_t version, Time now, Response& response);

  // Adds ETag and cache headers to `response`, whose body is complete, and caches it. Turns it into a 304 if
  // the client has this version.
  void Keep(const Request& request, Stamp stamp, Response& response);

  // The same for data without a known version: the answer is not cached.
  static void Complete(const Request& request, Response& response);

  // Bytes of all cached answers, with their compressed forms and their targets.
  std::size_t bytes();

 private:
  static constexpr std::size_t kShards = 16;
  static constexpr std::size_t kShardBytes = 2 << 20;

  struct Answer {
    Stamp stamp;
    std::string etag;
    std::string body;
    std::array<std::string, kCodings> coded = {};  // empty until a client accepts the coding

    std::size_t bytes() const {
      auto sum = sizeof(Answer) + etag.size() + body.size();
      for (const auto& each : coded) sum += each.size();
      return sum;
    }
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  struct alignas(64) Shard {
    std::mutex mutex;
    std::unordered_map<std::string, Answer, Hash, std::equal_to<>> answers;  // by language and target
    std::size_t bytes = 0;                                                   // of all answers and targets
  };

  Shard& MyShard(Language language);
  static Answer AnswerOf(std::string body, Stamp stamp);
  // Compresses the answer if the client asks for a coding that no client asked for before.
  static void Give(Answer& answer, const Request& request, Response& response);

  // The shards of one thread stand together, one for each language.
  std::array<Shard, kShards * kLanguages> shards_;
};

}  // namespace maejin::http
