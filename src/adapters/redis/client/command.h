// One command: its words, length-prefixed so that no argument can become a command, and its hash slot.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/redis/client/hash_slots.h"

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

  // Appends a word. Returns itself for chaining.
  Command& Word(std::string_view word);
  template <std::integral T>
  Command& Word(T number) {
    return Word(std::to_string(number));
  }
  // Appends a key. All keys of one command lie in one hash slot.
  Command& Key(std::string_view key);
  // Sends the command to the server of `key`, which is not one of its words.
  Command& AtServerOf(std::string_view key);

  // The connection appends the receiving server's run id as the last word when it sends the command.
  Command& AppendRunId() {
    appends_run_id_ = true;
    return *this;
  }

  // Appends all words of `other`. Its keys determine the hash slot if this command has no key.
  Command& Append(const Command& other);

  // Appends the command to `out` in RESP. `server`: run id of the receiving server.
  void AppendTo(std::string& out, std::string_view server = {}) const;
  // Absent: the command has no key, so any server may answer.
  std::optional<HashSlot> hash_slot() const { return slot_; }
  std::size_t bytes() const { return body_.size(); }

 private:
  std::string body_;
  std::uint32_t words_ = 0;
  std::optional<HashSlot> slot_;
  bool appends_run_id_ = false;
};

}  // namespace maejin::redis
