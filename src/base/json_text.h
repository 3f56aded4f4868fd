// A JSON object as a text of its own, for audit rows, events and outbox rows.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json_writer.h"

namespace maejin {

// `body` writes the fields: body(JsonWriter&).
template <class Body>
std::string JsonObjectText(Body&& body) {
  constexpr std::size_t kMostTexts = 320;  // bytes that an event of a sale fits into
  std::string text;
  text.reserve(kMostTexts);
  JsonWriter json(text);
  json.Object([&] { body(json); });
  return text;
}

// Writes the fields that a patch names: an absent optional writes nothing.
class JsonChanges {
 public:
  explicit JsonChanges(JsonWriter& json) : json_(json) {}

  template <class Value>
  void Field(std::string_view name, const std::optional<Value>& change) {
    if (change) json_.Field(name, *change);
  }
  // Writes an enum value by its Name().
  template <class Value>
  void Named(std::string_view name, const std::optional<Value>& change) {
    if (change) json_.Field(name, Name(*change));
  }
  // A duration, in its own unit.
  template <class Duration>
  void Count(std::string_view name, const std::optional<Duration>& change) {
    if (change) json_.Field(name, change->count());
  }
  // Writes null where the patch removes the value.
  template <class Value>
  void Removable(std::string_view name, const std::optional<std::optional<Value>>& change) {
    if (change) json_.OptionalField(name, *change);
  }

 private:
  JsonWriter& json_;
};

}  // namespace maejin
