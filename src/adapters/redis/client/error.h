// Why a command failed. The three kinds differ in what the caller may do next.
#pragma once

#include <cstdint>
#include <string>

namespace maejin::redis {

struct RedisError {
  enum class Kind : std::uint8_t {
    kUnavailable,  // Redis did not execute the command: a retry is safe
    kUnknown,      // sent, but no reply came: Redis may have executed it
    kRefused,      // an error reply (`text`): Redis executed nothing, or a script failed halfway
  };

  Kind kind = Kind::kUnavailable;
  std::string text;

  static RedisError Unavailable(std::string text) { return {Kind::kUnavailable, std::move(text)}; }
  static RedisError Unknown(std::string text) { return {Kind::kUnknown, std::move(text)}; }
  static RedisError Refused(std::string text) { return {Kind::kRefused, std::move(text)}; }
};

}  // namespace maejin::redis
