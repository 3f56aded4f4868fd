// Full-screen output with ANSI escapes. The destructor restores the previous screen and the terminal's modes.
#pragma once

#include <memory>
#include <string>

#include <termios.h>

#include "cli/top/top_text.h"

namespace maejin::cli {

class TerminalScreen {
 public:
  // Null if standard output is no terminal, or one that cannot be redrawn.
  static std::unique_ptr<TerminalScreen> Take();
  ~TerminalScreen();
  TerminalScreen(const TerminalScreen&) = delete;
  TerminalScreen& operator=(const TerminalScreen&) = delete;

  // The current size; the window may be resized at any time.
  TopSize Size() const;
  // Redraws the screen. Precondition: `lines` fit Size().
  void Show(const std::vector<TopLine>& lines) const;
  // True if q was pressed since the last call, or standard input is closed. Does not wait.
  bool QuitPressed() const;

 private:
  TerminalScreen();

  bool keyboard_ = false;
  bool colours_ = false;
  termios before_{};
};

}  // namespace maejin::cli
