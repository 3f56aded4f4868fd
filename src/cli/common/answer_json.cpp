#include "cli/common/answer_json.h"

#include <boost/json/parse.hpp>

namespace maejin::cli {

namespace json = boost::json;

std::optional<json::object> ObjectIn(std::string_view body) {
  json::error_code error;
  auto value = json::parse(body, error);
  if (error || !value.is_object()) return {};
  return std::move(value.as_object());
}

const json::object* ObjectOf(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value ? value->if_object() : nullptr;
}

const json::array* ListOf(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value ? value->if_array() : nullptr;
}

std::string TextOf(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::optional<std::int64_t> NumberIn(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value && value->is_int64() ? std::optional(value->get_int64()) : std::nullopt;
}

std::int64_t CountOf(const json::object& object, std::string_view name) {
  return NumberIn(object, name).value_or(0);
}

bool BoolOf(const json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value && value->is_bool() && value->get_bool();
}

}  // namespace maejin::cli
