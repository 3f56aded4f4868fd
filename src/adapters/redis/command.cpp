#include "adapters/redis/command.h"

#include <charconv>

namespace maejin::redis {
namespace {

void AppendCount(std::string& out, char sign, std::size_t count) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, count).ptr;
  out += sign;
  out.append(digits, end);
  out += "\r\n";
}

}  // namespace

Command& Command::Word(std::string_view word) {
  AppendCount(body_, '$', word.size());
  body_ += word;
  body_ += "\r\n";
  ++words_;
  return *this;
}

Command& Command::Key(std::string_view key) {
  if (!slot_) slot_ = SlotOf(key);
  return Word(key);
}

Command& Command::Append(const Command& other) {
  body_ += other.body_;
  words_ += other.words_;
  if (!slot_) slot_ = other.slot_;
  return *this;
}

void Command::AppendTo(std::string& out) const {
  AppendCount(out, '*', words_);
  out += body_;
}

}  // namespace maejin::redis
