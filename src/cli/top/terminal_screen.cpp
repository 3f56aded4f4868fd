#include "cli/top/terminal_screen.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace maejin::cli {
namespace {

// kTakeScreen switches to the alternate screen and turns cursor and line wrap off; kGiveBack undoes both.
constexpr std::string_view kTakeScreen = "\033[?1049h\033[?25l\033[?7l\033[2J";
constexpr std::string_view kGiveBack = "\033[0m\033[?7h\033[?25h\033[?1049l";

void PutNow(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

std::string_view EnvironmentText(const char* name) {
  const char* value = std::getenv(name);
  return value ? std::string_view(value) : std::string_view();
}

std::string_view StyleCode(LineStyle style) {
  switch (style) {
    case LineStyle::kPlain:
      return {};
    case LineStyle::kStrong:
      return "\033[1m";
    case LineStyle::kHead:
      return "\033[7m";
    case LineStyle::kAlarm:
      break;
  }
  return "\033[1;31m";
}

}  // namespace

std::unique_ptr<TerminalScreen> TerminalScreen::Take() {
  const auto kind = EnvironmentText("TERM");
  if (isatty(STDOUT_FILENO) != 1 || kind.empty() || kind == "dumb") return nullptr;
  return std::unique_ptr<TerminalScreen>(new TerminalScreen);
}

TerminalScreen::TerminalScreen() : colours_(EnvironmentText("NO_COLOR").empty()) {
  keyboard_ = isatty(STDIN_FILENO) == 1 && tcgetattr(STDIN_FILENO, &before_) == 0;
  if (keyboard_) {
    auto keys = before_;
    keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    // Disable Ctrl-Z and Ctrl-\, which would not restore the screen. Ctrl-C ends the program normally.
    keys.c_cc[VSUSP] = _POSIX_VDISABLE;
    keys.c_cc[VQUIT] = _POSIX_VDISABLE;
    keys.c_cc[VMIN] = 0;
    keys.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &keys);
  }
  PutNow(kTakeScreen);
}

TerminalScreen::~TerminalScreen() {
  PutNow(kGiveBack);
  if (keyboard_) tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
}

TopSize TerminalScreen::Size() const {
  winsize window{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0 || window.ws_row == 0) return {};
  return {window.ws_col, window.ws_row};
}

void TerminalScreen::Show(const std::vector<TopLine>& lines) const {
  std::string out = "\033[H";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto code = colours_ ? StyleCode(lines[i].style) : std::string_view();
    // Clear before writing: after a text line of full width the cursor is still on its last character.
    out += i > 0 ? "\r\n\033[2K" : "\033[2K";
    out += code;
    out += lines[i].text;
    if (!code.empty()) out += "\033[0m";
  }
  if (lines.size() < Size().rows) out += "\r\n\033[J";
  PutNow(out);
}

bool TerminalScreen::QuitPressed() const {
  if (!keyboard_) return false;
  pollfd keys{STDIN_FILENO, POLLIN, 0};
  if (poll(&keys, 1, 0) <= 0) return false;
  char pressed[64];
  const auto count = read(STDIN_FILENO, pressed, sizeof pressed);
  if (count <= 0) return true;
  return std::string_view(pressed, static_cast<std::size_t>(count)).find_first_of("qQ") !=
         std::string_view::npos;
}

}  // namespace maejin::cli
