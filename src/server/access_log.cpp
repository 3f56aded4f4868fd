#include "server/access_log.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/json_writer.h"

namespace maejin::http {
namespace {

void AppendEscaped(std::string_view text, std::string& out) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || c == '"' || c == '\\') {
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
}

// Whether the parameter's value is a credential or names a person: a token, a pass, a return code, a user. A
// return address may contain a credential, and a percent-encoded name may be one of these names: both count.
bool IsSecret(std::string_view name) {
  return name == "token" || name == "pass" || name == "userId" || name == "maejin_return" ||
         name == "return" || name == "to" || name.find('%') != std::string_view::npos;
}

// What follows this text in a path names a person.
constexpr std::string_view kUsersPath = "/admin/users/";

void AppendPath(std::string_view path, std::string& out) {
  const auto at = path.find(kUsersPath);
  AppendEscaped(path.substr(0, at == path.npos ? at : at + kUsersPath.size()), out);
  if (at != path.npos) out += "***";
}

// The target as the client sent it, with credentials and persons masked.
void AppendTarget(std::string_view target, std::string& out) {
  const auto mark = std::min(target.find('?'), target.size());
  AppendPath(target.substr(0, mark), out);
  target.remove_prefix(mark);
  while (!target.empty()) {
    out += target.front();  // '?' or '&'
    target.remove_prefix(1);
    const auto parameter = target.substr(0, target.find('&'));
    const auto equals = parameter.find('=');
    if (equals != std::string_view::npos && IsSecret(parameter.substr(0, equals))) {
      AppendEscaped(parameter.substr(0, equals), out);
      out += "=***";
    } else {
      AppendEscaped(parameter, out);
    }
    target.remove_prefix(parameter.size());
  }
}

}  // namespace

Result<AccessLog, std::string> AccessLog::Open(const std::string& where) {
  AccessLog log;
  if (where.empty()) return log;
  log.file_ = where == "-" ? dup(STDERR_FILENO)
                           : open(where.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  if (log.file_ < 0) return fmt::format("cannot open the access log {}: {}", where, std::strerror(errno));
  return log;
}

Result<Done, std::string> AccessLog::Reopen(const std::string& where) const {
  if (file_ < 0 || where == "-") return Done{};
  auto fresh = Open(where);
  if (!fresh) return fresh.error();
  // dup3() changes the file behind the descriptor, because other threads write to this descriptor meanwhile.
  if (dup3(fresh->file_, file_, O_CLOEXEC) < 0)
    return fmt::format("cannot open the access log {}: {}", where, std::strerror(errno));
  return Done{};
}

AccessLog::AccessLog(AccessLog&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
AccessLog& AccessLog::operator=(AccessLog&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}
AccessLog::~AccessLog() {
  if (file_ >= 0) close(file_);
}

void AccessLog::Write(std::string_view lines) const {
  while (!lines.empty()) {
    const auto written = write(file_, lines.data(), lines.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return;  // a full disk must not stop the server
    }
    lines.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AccessLog::AppendLine(const AccessLine& line, std::string_view time, std::string& out) {
  out.append(time).append(" ").append(line.client).append(" \"");
  AppendEscaped(line.method, out);
  out += ' ';
  AppendTarget(line.target, out);
  fmt::format_to(std::back_inserter(out), "\" {} {} {} {}\n", line.status, line.bytes, line.micros,
                 line.request_id.empty() ? "-" : line.request_id);
}

void AccessLog::AppendJson(const AccessLine& line, std::string_view time, std::string& out) {
  std::string target;
  AppendTarget(line.target, target);
  JsonWriter json(out);
  json.Object([&] {
    json.Field("time", time);
    json.Field("log", "access");
    json.Field("client", line.client);
    json.Field("method", line.method);
    json.Field("target", target);
    json.Field("status", line.status);
    json.Field("bytes", line.bytes);
    json.Field("micros", line.micros);
    json.Field("requestId", line.request_id);
    if (!line.traceparent.empty()) json.Field("traceparent", line.traceparent);
  });
  out += '\n';
}

}  // namespace maejin::http
