// Reads a JSON body into a command: every field checked for type and range, unknown fields refused by name.
//   JsonBody body(request);                       // 415, 400 invalid-json (depth 16)
//   const auto title = body.root().Text("title", {.min = 1, .max = 200});
//   const auto seats = body.root().OptionalInt("seats", {.min = 1, .max = 100'000});
//   if (auto refused = body.Finish()) co_return *refused;   // the first error
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/value.hpp>

#include "base/time.h"
#include "domain/refusal.h"
#include "server/request.h"

namespace maejin::http {

struct IntRange {
  std::int64_t min = 0;
  std::int64_t max = INT64_MAX;
};
struct TextRange {
  std::size_t min = 0;
  std::size_t max = 1000;  // characters
  bool multiline = false;  // may contain line ends and tabs; no other control character
};

// Shared by a whole body and its nested objects. Keeps the first error.
struct JsonErrors {
  std::optional<Refused> first;
  void Add(std::string_view field, std::string_view what);
};

// One JSON object. Reading a field marks it as known; Finish() refuses the others.
class JsonObject {
 public:
  // `path` names the object in errors: "", "schedules[0].".
  JsonObject(const boost::json::value& value, std::string path, JsonErrors& errors);

  // Whether the body has the field, also as null: in a patch, null removes a value.
  bool Has(std::string_view name) const;
  // Whether the field has a value: elsewhere, null is as good as an absent field.
  bool HasValue(std::string_view name) { return Take(name) != nullptr; }
  // Required: an absent field is an error, and the result is a default value.
  std::string Text(std::string_view name, TextRange range = {});
  std::int64_t Int(std::string_view name, IntRange range = {});
  Date Day(std::string_view name);
  Time Instant(std::string_view name);
  // Absent or null: nullopt.
  std::optional<std::string> OptionalText(std::string_view name, TextRange range = {});
  // A text, or an integer as its digits: some clients send ids as numbers.
  std::optional<std::string> OptionalName(std::string_view name, TextRange range = {});
  std::optional<std::int64_t> OptionalInt(std::string_view name, IntRange range = {});
  std::optional<bool> OptionalBool(std::string_view name);
  std::optional<Time> OptionalInstant(std::string_view name);
  std::optional<Date> OptionalDay(std::string_view name);
  // One of `names`, as its index.
  std::optional<std::size_t> OptionalChoice(std::string_view name, std::vector<std::string_view> names);
  // Objects, texts or numbers of an array of min…max elements. Absent: an error where `min` > 0.
  std::vector<JsonObject> Objects(std::string_view name, IntRange count);
  std::vector<std::string> Texts(std::string_view name, IntRange count, TextRange each);
  std::vector<std::int64_t> Ints(std::string_view name, IntRange count, IntRange each);

  // An object; call its Finish(). Absent or null: nullopt.
  std::optional<JsonObject> OptionalObject(std::string_view name);

  void Refuse(std::string_view name, std::string_view what);
  // Call after the last field.
  void Finish();

 private:
  const boost::json::value* Take(std::string_view name);
  // The list of that name. Null: absent, or refused as it is no list of that size. `what`: its elements, in
  // the refusal.
  const boost::json::array* Elements(std::string_view name, IntRange count, std::string_view what);
  const boost::json::value* Require(std::string_view name);

  const boost::json::object* object_ = nullptr;
  std::string path_;
  JsonErrors* errors_;
  std::vector<std::string_view> known_;
};

// Whether an object of `text` has a key twice. Parsers differ in which of the two they take. `value` is what
// `text` was parsed to.
bool RepeatsKey(std::string_view text, const boost::json::value& value);

// Whether the request says that its body is JSON.
bool HasJsonType(const Request& request);

// A parsed body and its root object. An empty body reads as {}.
class JsonBody {
 public:
  explicit JsonBody(const Request& request);
  JsonBody(const JsonBody&) = delete;
  JsonBody& operator=(const JsonBody&) = delete;

  JsonObject& root() { return *root_; }
  // After all fields were read: refuses unknown fields of the root. Returns the first error, if any.
  std::optional<Refused> Finish();

 private:
  JsonErrors errors_;
  // Small bodies, the most frequent ones, are parsed without a heap allocation.
  unsigned char first_bytes_[1024];
  boost::json::monotonic_resource memory_{first_bytes_, sizeof first_bytes_};
  boost::json::value value_;
  std::optional<JsonObject> root_;
};

}  // namespace maejin::http
