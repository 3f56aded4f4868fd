// The changed rows of one transition: prepared statements with their parameters, in one flat buffer. The
// transition fills it under its lock; the committer executes it. All rows become durable together.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace maejin::embedded {

class Statement;

// A statement; a constant with static lifetime, identified by its address.
struct Sql {
  const char* text;
};

class WriteSet {
 public:
  // Begins one statement; its parameters follow in order.
  WriteSet& Add(const Sql& sql) { return Put(Tag::kStatement, reinterpret_cast<std::uintptr_t>(&sql)); }
  WriteSet& Int(std::int64_t value) { return Put(Tag::kInt, value); }
  WriteSet& At(Time time) { return Int(ToMillis(time)); }
  WriteSet& Text(std::string_view text) { return PutBytes(Tag::kText, text); }
  WriteSet& Blob(std::string_view bytes) { return PutBytes(Tag::kBlob, bytes); }
  WriteSet& Null() {
    bytes_ += static_cast<char>(Tag::kNull);
    return *this;
  }
  WriteSet& OptionalInt(std::optional<std::int64_t> value) { return value ? Int(*value) : Null(); }
  WriteSet& OptionalText(const std::optional<std::string>& text) { return text ? Text(*text) : Null(); }
  WriteSet& OptionalAt(std::optional<Time> time) { return time ? At(*time) : Null(); }

  bool empty() const { return bytes_.empty(); }
  std::string_view bytes() const { return bytes_; }
  void Clear() { bytes_.clear(); }
  void Append(const WriteSet& other) { bytes_ += other.bytes_; }

 private:
  friend class WriteReader;
  enum class Tag : char { kStatement, kInt, kText, kBlob, kNull };

  template <class Number>
  WriteSet& Put(Tag tag, Number number) {
    char piece[1 + sizeof number];
    piece[0] = static_cast<char>(tag);
    std::memcpy(piece + 1, &number, sizeof number);
    bytes_.append(piece, sizeof piece);
    return *this;
  }
  WriteSet& PutBytes(Tag tag, std::string_view bytes) {
    Put(tag, static_cast<std::uint32_t>(bytes.size()));
    bytes_ += bytes;
    return *this;
  }

  std::string bytes_;
};

// Reads a write set: Next() returns the next statement, Bind() binds its parameters.
class WriteReader {
 public:
  explicit WriteReader(std::string_view bytes) : rest_(bytes) {}
  // The next statement, or nullptr at the end.
  const Sql* Next();
  // Binds the parameters that follow; they point into the buffer, which must outlive the statement's run.
  void Bind(Statement& statement);

 private:
  std::string_view Take(std::size_t size);

  std::string_view rest_;
};

}  // namespace maejin::embedded
