#include "http/json_body.h"

#include <algorithm>

#include <fmt/format.h>
#include <boost/json/parse.hpp>

#include "base/ascii.h"
#include "base/utf8.h"
#include "server/request_head.h"

namespace maejin::http {
namespace {

constexpr std::size_t kDepth = 16;

// "application/json", with or without parameters, or anything that ends in +json.
bool IsJsonType(std::string_view content_type) {
  auto type = content_type.substr(0, content_type.find(';'));
  while (!type.empty() && type.back() == ' ') type.remove_suffix(1);
  constexpr std::string_view kSuffix = "+json";
  const auto end = type.substr(type.size() - std::min(type.size(), kSuffix.size()));
  return EqualIgnoringCase(type, "application/json") || EqualIgnoringCase(end, kSuffix);
}

std::string_view AsView(const boost::json::string& text) { return {text.data(), text.size()}; }

// Accepts a whole number, also with a fraction of zero (1.0). Absent: any other value.
std::optional<std::int64_t> IntegerOf(const boost::json::value& value) {
  if (value.is_int64()) return value.get_int64();
  if (value.is_uint64()) return {};  // beyond int64
  if (!value.is_double()) return {};
  const double number = value.get_double();
  constexpr double kExact = 9007199254740992.0;
  if (number < -kExact || number > kExact || number != static_cast<double>(static_cast<std::int64_t>(number)))
    return {};
  return static_cast<std::int64_t>(number);
}

const boost::json::object& EmptyObject() {
  static const boost::json::object kEmpty;
  return kEmpty;
}

bool IsLineSpace(char c) { return c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

void JsonErrors::Add(std::string_view field, std::string_view what) {
  if (!first) first.emplace(Refusal::kInvalidField, fmt::format("{}: {}", field, what));
}

JsonObject::JsonObject(const boost::json::value& value, std::string path, JsonErrors& errors)
    : object_(value.if_object()), path_(std::move(path)), errors_(&errors) {
  known_.reserve(8);
  if (object_) return;
  const auto name = path_.empty() ? std::string("body") : path_.substr(0, path_.size() - 1);
  errors_->Add(name, "must be an object");
  object_ = &EmptyObject();
}

bool JsonObject::Has(std::string_view name) const { return object_->if_contains(name) != nullptr; }

const boost::json::value* JsonObject::Take(std::string_view name) {
  known_.push_back(name);
  const auto* value = object_->if_contains(name);
  return value && !value->is_null() ? value : nullptr;
}

const boost::json::value* JsonObject::Require(std::string_view name) {
  const auto* value = Take(name);
  if (!value) Refuse(name, "is required");
  return value;
}

void JsonObject::Refuse(std::string_view name, std::string_view what) {
  errors_->Add(path_ + std::string(name), what);
}

std::optional<std::string> JsonObject::OptionalText(std::string_view name, TextRange range) {
  const auto* value = Take(name);
  if (!value) return {};
  const auto* text = value->if_string();
  if (!text) {
    Refuse(name, "must be a text");
    return {};
  }
  const auto length = CharactersIn(AsView(*text));
  if (length < range.min || length > range.max) {
    Refuse(name, fmt::format("must be {}…{} characters long", range.min, range.max));
    return {};
  }
  const auto is_refused = [&](char c) { return IsControl(c) && !(range.multiline && IsLineSpace(c)); };
  if (std::ranges::any_of(AsView(*text), is_refused)) {
    Refuse(name, "must not contain control characters");
    return {};
  }
  return std::string(AsView(*text));
}

std::optional<std::string> JsonObject::OptionalName(std::string_view name, TextRange range) {
  const auto* value = Take(name);
  if (value && value->is_int64()) return std::to_string(value->get_int64());
  return OptionalText(name, range);
}

std::optional<std::int64_t> JsonObject::OptionalInt(std::string_view name, IntRange range) {
  const auto* value = Take(name);
  if (!value) return {};
  const auto number = IntegerOf(*value);
  if (!number || *number < range.min || *number > range.max) {
    Refuse(name, range.max == INT64_MAX ? fmt::format("must be a whole number of at least {}", range.min)
                                        : fmt::format("must be a whole number, {}…{}", range.min, range.max));
    return {};
  }
  return number;
}

std::optional<bool> JsonObject::OptionalBool(std::string_view name) {
  const auto* value = Take(name);
  if (!value) return {};
  if (!value->is_bool()) {
    Refuse(name, "must be true or false");
    return {};
  }
  return value->get_bool();
}

std::optional<Time> JsonObject::OptionalInstant(std::string_view name) {
  const auto* value = Take(name);
  if (!value) return {};
  const auto* text = value->if_string();
  const auto time = text ? ParseTime(AsView(*text)) : std::nullopt;
  if (!time) Refuse(name, "must be a time like 2025-10-31T10:00:00Z");
  return time;
}

std::optional<Date> JsonObject::OptionalDay(std::string_view name) {
  const auto* value = Take(name);
  if (!value) return {};
  const auto* text = value->if_string();
  const auto date = text ? ParseDate(AsView(*text)) : std::nullopt;
  if (!date) Refuse(name, "must be a date like 2025-10-31");
  return date;
}

std::optional<std::size_t> JsonObject::OptionalChoice(std::string_view name,
                                                      std::vector<std::string_view> names) {
  const auto* value = Take(name);
  if (!value) return {};
  const auto* text = value->if_string();
  if (text) {
    const auto found = std::find(names.begin(), names.end(), AsView(*text));
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  }
  Refuse(name, fmt::format("must be one of {}", fmt::join(names, ", ")));
  return {};
}

std::string JsonObject::Text(std::string_view name, TextRange range) {
  if (!Require(name)) return {};
  return OptionalText(name, range).value_or(std::string());
}

std::int64_t JsonObject::Int(std::string_view name, IntRange range) {
  if (!Require(name)) return range.min;
  return OptionalInt(name, range).value_or(range.min);
}

Date JsonObject::Day(std::string_view name) {
  if (!Require(name)) return {};
  return OptionalDay(name).value_or(Date{});
}

Time JsonObject::Instant(std::string_view name) {
  if (!Require(name)) return {};
  return OptionalInstant(name).value_or(Time{});
}

const boost::json::array* JsonObject::Elements(std::string_view name, IntRange count, std::string_view what) {
  const auto* value = count.min > 0 ? Require(name) : Take(name);
  if (!value) return nullptr;
  const auto* array = value->if_array();
  const auto size = array ? static_cast<std::int64_t>(array->size()) : -1;
  if (size >= count.min && size <= count.max) return array;
  Refuse(name, fmt::format("must be a list of {}…{} {}", count.min, count.max, what));
  return nullptr;
}

std::vector<JsonObject> JsonObject::Objects(std::string_view name, IntRange count) {
  std::vector<JsonObject> objects;
  const auto* array = Elements(name, count, "objects");
  if (!array) return objects;
  for (std::size_t i = 0; i < array->size(); ++i) {
    objects.emplace_back((*array)[i], fmt::format("{}{}[{}].", path_, name, i), *errors_);
  }
  return objects;
}

std::optional<JsonObject> JsonObject::OptionalObject(std::string_view name) {
  const auto* value = Take(name);
  if (!value) return {};
  return JsonObject(*value, fmt::format("{}{}.", path_, name), *errors_);
}

std::vector<std::string> JsonObject::Texts(std::string_view name, IntRange count, TextRange each) {
  std::vector<std::string> texts;
  const auto* array = Elements(name, count, "texts");
  if (!array) return texts;
  for (const auto& element : *array) {
    const auto* text = element.if_string();
    const auto length = text ? CharactersIn(AsView(*text)) : 0;
    if (!text || length < each.min || length > each.max) {
      Refuse(name, fmt::format("must hold texts of {}…{} characters; [{}] is none", each.min, each.max,
                               texts.size()));
      return {};
    }
    texts.emplace_back(AsView(*text));
  }
  return texts;
}

std::vector<std::int64_t> JsonObject::Ints(std::string_view name, IntRange count, IntRange each) {
  std::vector<std::int64_t> numbers;
  const auto* array = Elements(name, count, "numbers");
  if (!array) return numbers;
  numbers.reserve(array->size());
  for (const auto& element : *array) {
    const auto number = IntegerOf(element);
    if (!number || *number < each.min || *number > each.max) {
      Refuse(name,
             fmt::format("must hold whole numbers, {}…{}; [{}] is none", each.min, each.max, numbers.size()));
      return {};
    }
    numbers.push_back(*number);
  }
  return numbers;
}

void JsonObject::Finish() {
  for (const auto& member : *object_) {
    const std::string_view name(member.key().data(), member.key().size());
    if (std::find(known_.begin(), known_.end(), name) == known_.end()) Refuse(name, "is not known here");
  }
}

namespace {

std::size_t MembersOf(const boost::json::value& value) {
  std::size_t members = 0;
  if (const auto* object = value.if_object()) {
    members = object->size();
    for (const auto& member : *object) members += MembersOf(member.value());
  } else if (const auto* array = value.if_array()) {
    for (const auto& element : *array) members += MembersOf(element);
  }
  return members;
}

}  // namespace

// Every member of an object in `text` has one colon outside of strings. The parser keeps one member of each
// key, so a repeated key makes the counts differ.
bool RepeatsKey(std::string_view text, const boost::json::value& value) {
  std::size_t colons = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') in_text = !in_text;
    if (in_text && c == '\\') ++i;
    if (!in_text && c == ':') ++colons;
  }
  return colons != MembersOf(value);
}

bool HasJsonType(const Request& request) { return IsJsonType(request.Header("Content-Type")); }

JsonBody::JsonBody(const Request& request) : value_(boost::json::object_kind, &memory_) {
  if (!request.body.empty()) {
    if (!HasJsonType(request)) {
      errors_.first.emplace(Refusal::kUnsupportedMediaType);
    } else {
      boost::system::error_code error;
      boost::json::parse_options options;
      options.max_depth = kDepth;
      value_ = boost::json::parse(request.body, error, &memory_, options);
      if (error || RepeatsKey(request.body, value_)) {
        errors_.first.emplace(Refusal::kInvalidJson, error ? error.message() : "a key occurs twice");
        value_ = boost::json::object_kind;
      }
    }
  }
  root_.emplace(value_, "", errors_);
}

std::optional<Refused> JsonBody::Finish() {
  root_->Finish();
  return errors_.first;
}

}  // namespace maejin::http
