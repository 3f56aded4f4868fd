// A terminal's whole screen for as long as the object lives, by plain ANSI escapes: what stood there before is back
// afterwards, and so are the terminal's modes.
#pragma once

#include <memory>
#include <string>

#include <termios.h>

#include "cli/top/top_text.h"

namespace maejin::cli {

class TerminalScreen {
 public:
  // Null where standard output is no terminal that could be redrawn.
  static std::unique_ptr<TerminalScreen> Take();
  ~TerminalScreen();
  TerminalScreen(const TerminalScreen&) = delete;
  TerminalScreen& operator=(const TerminalScreen&) = delete;

  // As it is now: a window may be resized at any time.
  TopSize Size() const;
  // Redraws the whole screen; `lines` fit Size().
  void Show(const std::vector<TopLine>& lines) const;
  // Whether somebody pressed q since the last question, or the keyboard is gone. Never waits.
  bool QuitPressed() const;

 private:
  TerminalScreen();

  bool keyboard_ = false;
  bool colours_ = false;
  termios before_{};
};

}  // namespace maejin::cli
