// Why a command has no answer. The three kinds differ in what the caller may do next.
#pragma once

#include <cstdint>
#include <string>

namespace maejin::redis {

struct RedisError {
  enum class Kind : std::uint8_t {
    kUnavailable,  // never sent: nothing happened, and trying again is safe
    kUnknown,      // sent, but the answer never came: it may have happened
    kRefused,      // Redis answered with an error: nothing happened, or a script broke; `text` says which
  };

  Kind kind = Kind::kUnavailable;
  std::string text;

  static RedisError Unavailable(std::string text) { return {Kind::kUnavailable, std::move(text)}; }
  static RedisError Unknown(std::string text) { return {Kind::kUnknown, std::move(text)}; }
  static RedisError Refused(std::string text) { return {Kind::kRefused, std::move(text)}; }
};

}  // namespace maejin::redis
