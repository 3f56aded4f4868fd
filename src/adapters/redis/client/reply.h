// A reply of Redis as a value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/client/error.h"
#include "base/result.h"

namespace maejin::redis {

struct Reply {
  enum class Kind : std::uint8_t { kNil, kInteger, kText, kStatus, kError, kArray };

  Kind kind = Kind::kNil;
  std::int64_t integer = 0;     // kInteger only
  std::string text;             // kText, kStatus, kError
  std::vector<Reply> elements;  // kArray only

  bool is_nil() const { return kind == Kind::kNil; }
  bool is_error() const { return kind == Kind::kError; }
  bool is_array() const { return kind == Kind::kArray; }
  bool is_text() const { return kind == Kind::kText || kind == Kind::kStatus; }
  // An error whose first word is `code`: "NOSCRIPT No matching script".
  bool IsError(std::string_view code) const;

  // An integer, or a text that begins with one; otherwise 0.
  std::int64_t AsInteger() const;
  // Element `index`, or nil beyond the end. Only for decoders: other code uses the types that they return.
  const Reply& At(std::size_t index) const;
};

// The value of "name:value" in the reply to INFO; empty where it is missing.
std::string InfoField(std::string_view info, std::string_view name);

using CallResult = Result<Reply, RedisError>;

}  // namespace maejin::redis
