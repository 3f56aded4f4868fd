// A text that many connections send without copying it, such as a page or a seat map.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

namespace maejin::http {

class SharedText {
 public:
  SharedText() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): most shared texts are never withdrawn
  SharedText(std::shared_ptr<const std::string> text, const std::atomic<bool>* withdrawn = nullptr)
      : text_(std::move(text)), withdrawn_(withdrawn) {}

  explicit operator bool() const { return text_ != nullptr; }
  const std::string& operator*() const { return *text_; }
  const std::string* operator->() const { return text_.get(); }
  void reset() { *this = SharedText(); }

  // True: the owner limits the memory of its texts itself, and may withdraw this text.
  bool withdrawable() const { return withdrawn_ != nullptr; }
  // True: the owner needs the memory back. The server drops every connection that still sends the text.
  bool withdrawn() const { return withdrawn_ && withdrawn_->load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<const std::string> text_;
  const std::atomic<bool>* withdrawn_ = nullptr;  // null, or lives as long as the text
};

}  // namespace maejin::http
