// Builds a short text on the stack and appends it in one call: for text that is written very often.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace maejin {

// Not thread-safe. Appends to `out` on destruction, or when its buffer is full. `out` outlives it.
class Draft {
 public:
  explicit Draft(std::string& out) : out_(out) {}
  ~Draft() { Flush(); }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  // The compiler knows the length of a literal and inlines the copy.
  template <std::size_t kSize>
  Draft& operator<<(const char (&literal)[kSize]) {
    static_assert(kSize <= sizeof bytes_);
    if (room() < kSize) Flush();
    std::memcpy(end_, literal, kSize - 1);
    end_ += kSize - 1;
    return *this;
  }
  Draft& operator<<(std::string_view text) {
    if (text.size() > room()) {
      Flush();
      if (text.size() > sizeof bytes_) {
        out_ += text;
        return *this;
      }
    }
    std::memcpy(end_, text.data(), text.size());
    end_ += text.size();
    return *this;
  }
  Draft& operator<<(std::int64_t number) {
    if (room() < kMaxDigits) Flush();
    end_ = std::to_chars(end_, end_ + kMaxDigits, number).ptr;
    return *this;
  }
  // Call before other code appends to `out`.
  std::string& Flush() {
    out_.append(bytes_, static_cast<std::size_t>(end_ - bytes_));
    end_ = bytes_;
    return out_;
  }

 private:
  static constexpr std::size_t kMaxDigits = 20;
  std::size_t room() const { return static_cast<std::size_t>(bytes_ + sizeof bytes_ - end_); }

  std::string& out_;
  char bytes_[640];
  char* end_ = bytes_;
};

}  // namespace maejin
