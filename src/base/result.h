// Result<T, E>: a value, or an error. Expected refusals are results, not exceptions.
#pragma once

#include <type_traits>
#include <utility>
#include <variant>

#include "base/check.h"

namespace maejin {

// The value of a success without data.
struct Done {
  friend bool operator==(const Done&, const Done&) = default;
};

template <class T, class E>
class [[nodiscard]] Result {
  // `return failed.error();` would be a value.
  static_assert(!std::is_same_v<T, E>, "give the value or the error a type of its own");

  template <class U>
  static constexpr bool kIsValue = std::is_convertible_v<U, T> && !std::is_same_v<std::remove_cvref_t<U>, E>;

 public:
  // Implicit, for `return value;` and `return Refusal::kSoldOut;`. An argument of exactly the error's type is
  // an error, even where it converts to the value's type: a std::string does not become a std::string_view.
  template <class U>
    requires(!std::is_same_v<std::remove_cvref_t<U>, Result> && kIsValue<U>)
  Result(U&& value) : state_(std::in_place_index<0>, std::forward<U>(value)) {}  // NOLINT
  template <class U>
    requires(!std::is_same_v<std::remove_cvref_t<U>, Result> && !kIsValue<U> && std::is_convertible_v<U, E>)
  Result(U&& error) : state_(std::in_place_index<1>, std::forward<U>(error)) {}  // NOLINT

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Precondition: ok().
  T& value() & { return *Checked<0>(); }
  const T& value() const& { return *Checked<0>(); }
  T&& value() && { return std::move(*Checked<0>()); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return Checked<0>(); }
  const T* operator->() const { return Checked<0>(); }

  // Precondition: !ok().
  const E& error() const& { return *Checked<1>(); }
  E&& error() && { return std::move(*Checked<1>()); }

 private:
  template <std::size_t I>
  auto* Checked() {
    auto* held = std::get_if<I>(&state_);
    MAEJIN_CHECK(held, "a result is read as the value or error that it holds");
    return held;
  }
  template <std::size_t I>
  const auto* Checked() const {
    const auto* held = std::get_if<I>(&state_);
    MAEJIN_CHECK(held, "a result is read as the value or error that it holds");
    return held;
  }

  std::variant<T, E> state_;
};

}  // namespace maejin
