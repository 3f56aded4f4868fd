// The program's log: one text line for each message, on standard error. Callers escape text from clients
// first (server/access_log.h). spdlog stays behind this header, because it is slow to compile.
#pragma once

#include <string_view>

#include <fmt/format.h>

namespace maejin {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };

enum class LogFormat { kText, kJson };

void SetLogLevel(LogLevel level);
// kJson: each text line is an object {"time", "level", "message"}.
void SetLogFormat(LogFormat format);
bool IsLogged(LogLevel level) noexcept;
// If there is no memory for time and level, only `line` is written.
void WriteLog(LogLevel level, std::string_view line) noexcept;

template <class... Args>
void LogDebug(fmt::format_string<Args...> format, Args&&... args) {
  if (IsLogged(LogLevel::kDebug))
    WriteLog(LogLevel::kDebug, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void LogInfo(fmt::format_string<Args...> format, Args&&... args) {
  WriteLog(LogLevel::kInfo, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void LogWarning(fmt::format_string<Args...> format, Args&&... args) {
  WriteLog(LogLevel::kWarning, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void LogError(fmt::format_string<Args...> format, Args&&... args) {
  WriteLog(LogLevel::kError, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace maejin
