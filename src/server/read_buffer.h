// Received bytes of a connection that are not yet processed. Grows for a large request and shrinks
// afterwards.
#pragma once

#include <cstring>
#include <memory>
#include <string_view>

namespace maejin::http {

class ReadBuffer {
 public:
  static constexpr std::size_t kSmall = 4096;

  char* data() { return bytes_.get() + begin_; }
  std::size_t size() const { return end_ - begin_; }
  std::string_view View() const { return {bytes_.get() + begin_, size()}; }

  // Makes space for at least `room` more bytes behind the held ones.
  void Reserve(std::size_t room) {
    if (begin_ == end_) begin_ = end_ = 0;
    if (!bytes_) Move(std::max(kSmall, room));
    if (capacity_ - end_ >= room) return;
    if (capacity_ - size() >= room) {
      std::memmove(bytes_.get(), data(), size());
      end_ -= begin_;
      begin_ = 0;
    } else {
      Move(std::max(size() + room, 2 * capacity_));
    }
  }
  char* tail() { return bytes_.get() + end_; }
  std::size_t room() const { return capacity_ - end_; }
  void Commit(std::size_t count) { end_ += count; }
  void Consume(std::size_t count) { begin_ += count; }
  // Drops the last `count` bytes.
  void Trim(std::size_t count) { end_ -= count; }

  // Frees the memory of a large request. Precondition: no view points into the buffer.
  void Shrink() {
    if (begin_ == end_ && capacity_ > kSmall) Release();
  }
  void Release() {
    bytes_.reset();
    begin_ = end_ = capacity_ = 0;
  }

 private:
  void Move(std::size_t capacity) {
    std::unique_ptr<char[]> larger(new char[capacity]);
    if (size() > 0) std::memcpy(larger.get(), data(), size());
    end_ -= begin_;
    begin_ = 0;
    capacity_ = capacity;
    bytes_ = std::move(larger);
  }

  std::unique_ptr<char[]> bytes_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace maejin::http
