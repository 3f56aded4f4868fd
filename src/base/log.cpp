#include "base/log.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "base/json_writer.h"
#include "base/time.h"

namespace maejin {
namespace {

spdlog::level::level_enum ToSpdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      return spdlog::level::off;
  }
  return spdlog::level::info;
}

std::atomic<LogFormat> log_format{LogFormat::kText};

std::string_view NameOf(LogLevel level) {
  constexpr std::array<std::string_view, 5> kNames = {"debug", "info", "warning", "error", "off"};
  return kNames[static_cast<std::size_t>(level)];
}

spdlog::logger& Logger() {
  static const auto logger = [] {
    auto made = std::make_shared<spdlog::logger>("maejin", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%v");
    return made;
  }();
  return *logger;
}

}  // namespace

void SetLogLevel(LogLevel level) { Logger().set_level(ToSpdlog(level)); }

void SetLogFormat(LogFormat format) { log_format = format; }

namespace {

void WriteWhole(LogLevel level, std::string_view line) {
  const auto time = FormatTime(std::chrono::floor<Millis>(std::chrono::system_clock::now()));
  std::string whole;
  if (log_format == LogFormat::kJson) {
    JsonWriter json(whole);
    json.Object([&] {
      json.Field("time", time);
      json.Field("level", NameOf(level));
      json.Field("message", line);
    });
  } else {
    whole.append(time).append(" ").append(NameOf(level)).append(" ").append(line);
  }
  Logger().log(ToSpdlog(level), spdlog::string_view_t(whole.data(), whole.size()));
}

}  // namespace

bool IsLogged(LogLevel level) noexcept { return Logger().should_log(ToSpdlog(level)); }

void WriteLog(LogLevel level, std::string_view line) noexcept {
  if (!IsLogged(level)) return;
  try {
    WriteWhole(level, line);
  } catch (...) {  // no memory for time and level
    std::fwrite(line.data(), 1, line.size(), stderr);
    std::fputc('\n', stderr);
  }
}

}  // namespace maejin
