// A Lua script, called by the SHA-1 of its text.
#pragma once

#include <string>
#include <string_view>

#include "adapters/redis/client/command.h"

namespace maejin::redis {

class Script {
 public:
  explicit Script(std::string text);

  const std::string& text() const { return text_; }
  // 40 lower-case hexadecimal digits.
  const std::string& sha() const { return sha_; }

 private:
  std::string text_;
  std::string sha_;
};

// Keys, all in one hash slot, and then arguments.
class ScriptArguments {
 public:
  ScriptArguments& Key(std::string_view key) {
    words_.Key(key);
    ++keys_;
    return *this;
  }
  ScriptArguments& Arg(std::string_view word) {
    words_.Word(word);
    return *this;
  }
  template <std::integral T>
  ScriptArguments& Arg(T number) {
    words_.Word(number);
    return *this;
  }

  // The run id of the server that executes the script becomes the last argument.
  ScriptArguments& AppendRunId() {
    words_.AppendRunId();
    return *this;
  }

  // BySha() is EVALSHA. ByText() is EVAL, for the retry after NOSCRIPT; it also makes Redis cache the script.
  Command BySha(const Script& script) const { return Named("EVALSHA", script.sha()); }
  Command ByText(const Script& script) const { return Named("EVAL", script.text()); }

 private:
  Command Named(std::string_view verb, std::string_view script) const;

  Command words_;
  int keys_ = 0;
};

}  // namespace maejin::redis
