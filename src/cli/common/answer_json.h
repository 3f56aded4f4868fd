// Lenient access to a JSON answer: a field that is missing or of another type reads as absent, null, 0, false
// or "".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace maejin::cli {

// Parses a body; absent if it is not a JSON object.
std::optional<boost::json::object> ObjectIn(std::string_view body);

const boost::json::object* ObjectOf(const boost::json::object& object, std::string_view name);
const boost::json::array* ListOf(const boost::json::object& object, std::string_view name);
std::string TextOf(const boost::json::object& object, std::string_view name);
std::optional<std::int64_t> NumberIn(const boost::json::object& object, std::string_view name);
std::int64_t CountOf(const boost::json::object& object, std::string_view name);
bool BoolOf(const boost::json::object& object, std::string_view name);

}  // namespace maejin::cli
