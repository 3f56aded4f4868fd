// What a server answered, read leniently: what is missing, or of another type, is absent or nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace maejin::cli {

// The object that a body is.
std::optional<boost::json::object> ObjectIn(std::string_view body);

const boost::json::object* ObjectOf(const boost::json::object& object, std::string_view name);
const boost::json::array* ListOf(const boost::json::object& object, std::string_view name);
std::string TextOf(const boost::json::object& object, std::string_view name);
std::optional<std::int64_t> NumberIn(const boost::json::object& object, std::string_view name);
std::int64_t CountOf(const boost::json::object& object, std::string_view name);
bool TruthOf(const boost::json::object& object, std::string_view name);

}  // namespace maejin::cli
