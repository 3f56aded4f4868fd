#include "adapters/redis/client/command.h"

#include "base/draft.h"

namespace maejin::redis {
namespace {

void AppendWord(Draft& out, std::string_view word) {
  out << "$" << static_cast<std::int64_t>(word.size()) << "\r\n" << word << "\r\n";
}

}  // namespace

Command& Command::Word(std::string_view word) {
  Draft out(body_);
  AppendWord(out, word);
  ++words_;
  return *this;
}

Command& Command::Key(std::string_view key) { return AtServerOf(key).Word(key); }

Command& Command::AtServerOf(std::string_view key) {
  if (!slot_) slot_ = HashSlotOf(key);
  return *this;
}

Command& Command::Append(const Command& other) {
  body_ += other.body_;
  words_ += other.words_;
  if (!slot_) slot_ = other.slot_;
  appends_run_id_ = appends_run_id_ || other.appends_run_id_;
  return *this;
}

void Command::AppendTo(std::string& text, std::string_view server) const {
  Draft out(text);
  out << "*" << std::int64_t{words_ + (appends_run_id_ ? 1 : 0)} << "\r\n" << body_;
  if (appends_run_id_) AppendWord(out, server);
}

}  // namespace maejin::redis
