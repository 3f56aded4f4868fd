// One command: length-prefixed words (nothing a fan typed can become a command), and the slot of its keys.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/redis/client/slots.h"

namespace maejin::redis {

class Command {
 public:
  Command() = default;
  // Words without keys: Command{"PING"}.
  template <std::convertible_to<std::string_view>... Words>
    requires(sizeof...(Words) > 0)
  explicit Command(const Words&... words) {
    (Word(words), ...);
  }

  // Appends a word; returns itself, so that a command reads as a sentence.
  Command& Word(std::string_view word);
  template <std::integral T>
  Command& Word(T number) {
    return Word(std::to_string(number));
  }
  // Appends a key. All keys of one command lie in one slot; the first decides where the command goes.
  Command& Key(std::string_view key);

  // Whoever it is sent to is told its own run id, as one more word at the end.
  Command& TellServer() {
    tells_server_ = true;
    return *this;
  }

  // Appends all words of `other`; its keys count.
  Command& Append(const Command& other);

  // In RESP, appended to `out`. `server`: the run id of whom it goes to.
  void AppendTo(std::string& out, std::string_view server = {}) const;
  // Absent: any node may answer.
  std::optional<Slot> slot() const { return slot_; }
  std::size_t bytes() const { return body_.size(); }

 private:
  std::string body_;
  std::uint32_t words_ = 0;
  std::optional<Slot> slot_;
  bool tells_server_ = false;
};

}  // namespace maejin::redis
