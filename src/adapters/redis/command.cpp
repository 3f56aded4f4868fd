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

void AppendWord(std::string& out, std::string_view word) {
  AppendCount(out, '$', word.size());
  out += word;
  out += "\r\n";
}

}  // namespace

Command& Command::Word(std::string_view word) {
  AppendWord(body_, word);
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
  tells_server_ = tells_server_ || other.tells_server_;
  return *this;
}

void Command::AppendTo(std::string& out, std::string_view server) const {
  AppendCount(out, '*', words_ + (tells_server_ ? 1 : 0));
  out += body_;
  if (tells_server_) AppendWord(out, server);
}

}  // namespace maejin::redis
