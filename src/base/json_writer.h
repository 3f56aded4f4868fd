// Writes JSON into a buffer of the caller.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/hex.h"
#include "base/ids.h"
#include "base/time.h"

namespace maejin {

// Appends `text` as a JSON string with its quotes; invalid UTF-8 becomes U+FFFD.
void AppendJsonString(std::string& out, std::string_view text);

// Writes commas and brackets; names and order come from the caller:
//   JsonWriter json(body);
//   json.Object([&] { json.Field("rank", 1); json.Array("seats", [&] { json.Element(4); }); });
// Not thread-safe; allocates only when the buffer grows.
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  template <class Body>
  void Object(Body&& body) {
    Separate();
    Nested('{', '}', body);
  }
  template <class Body>
  void Object(std::string_view name, Body&& body) {
    Name(name);
    Nested('{', '}', body);
  }
  template <class Body>
  void Array(Body&& body) {
    Separate();
    Nested('[', ']', body);
  }
  template <class Body>
  void Array(std::string_view name, Body&& body) {
    Name(name);
    Nested('[', ']', body);
  }
  template <class T>
  void Field(std::string_view name, const T& value) {
    Name(name);
    Value(value);
  }
  template <class T>
  void Element(const T& value) {
    Separate();
    Value(value);
  }
  void Null(std::string_view name) {
    Name(name);
    out_ += "null";
  }
  // `value`, or null where it is absent.
  template <class T>
  void OptionalField(std::string_view name, const std::optional<T>& value) {
    if (value) {
      Field(name, *value);
    } else {
      Null(name);
    }
  }
  // `json` is written as it is.
  void Raw(std::string_view name, std::string_view json) {
    Name(name);
    out_ += json;
  }
  // As Raw(); writes null if `json` is empty.
  void RawOrNull(std::string_view name, std::string_view json) { Raw(name, json.empty() ? "null" : json); }

 private:
  void Separate() {
    if (!first_) out_ += ',';
    first_ = false;
  }
  // Answers and events have many names, so the name is quoted on the stack and appended by one call.
  void Name(std::string_view name) {
    char text[64];
    if (name.size() + 4 > sizeof text) return LongName(name);
    text[0] = ',';
    text[1] = '"';
    std::memcpy(text + 2, name.data(), name.size());
    text[name.size() + 2] = '"';
    text[name.size() + 3] = ':';
    const std::size_t begin = first_ ? 1 : 0;
    first_ = false;
    out_.append(text + begin, name.size() + 4 - begin);
  }
  void LongName(std::string_view name) {
    Separate();
    AppendJsonString(out_, name);
    out_ += ':';
  }
  template <class Body>
  void Nested(char open, char close, Body&& body) {
    out_ += open;
    first_ = true;
    body();
    out_ += close;
    first_ = false;
  }
  void Value(bool value) { out_ += value ? "true" : "false"; }
  void Value(std::string_view text) { AppendJsonString(out_, text); }
  void Value(const std::string& text) { AppendJsonString(out_, text); }
  void Value(const char* text) { AppendJsonString(out_, text); }
  void Value(Time time) {
    out_ += '"';
    AppendTime(out_, time);
    out_ += '"';
  }
  void Value(const Id128& id) {
    char text[Id128::kDigits + 2];
    text[0] = text[Id128::kDigits + 1] = '"';
    PutHex(id.bytes, text + 1);
    out_.append(text, sizeof text);
  }
  void Value(Date date) { AppendJsonString(out_, FormatDate(date)); }
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  void Value(T number) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    out_.append(digits, static_cast<std::size_t>(end - digits));
  }

  std::string& out_;
  bool first_ = true;
};

}  // namespace maejin
