// A short text, put together on the stack and appended in one go: for what is written a million times a minute.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace maejin {

// Appends to `out`, which outlives it, when it ends or is full.
class Draft {
 public:
  explicit Draft(std::string& out) : out_(out) {}
  ~Draft() { Flush(); }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  // A literal's length is known to the compiler, which copies it without a call.
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
    if (room() < kMostDigits) Flush();
    end_ = std::to_chars(end_, end_ + kMostDigits, number).ptr;
    return *this;
  }
  // So that something else can be appended.
  std::string& Flush() {
    out_.append(bytes_, end_);
    end_ = bytes_;
    return out_;
  }

 private:
  static constexpr std::size_t kMostDigits = 20;
  std::size_t room() const { return static_cast<std::size_t>(bytes_ + sizeof bytes_ - end_); }

  std::string& out_;
  char bytes_[640];
  char* end_ = bytes_;
};

}  // namespace maejin
