// One text line for each request: time, client, "method target", status, bytes, microseconds, request id; as
// text or as JSON. Bytes that a client sent are escaped, so that the client cannot forge a text line.
// Credentials and user ids in the target are masked. Each thread buffers its output and writes it in batches.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace maejin::http {

struct AccessLine {
  std::string_view client;
  std::string_view method;
  std::string_view target;
  int status = 0;
  std::size_t bytes = 0;
  std::int64_t micros = 0;
  std::string_view request_id = {};
  std::string_view traceparent = {};
};

// Thread-safe.
class AccessLog {
 public:
  // `where`: "" for no log, "-" for standard error, else the name of a file. The error is a sentence for the
  // operator.
  static Result<AccessLog, std::string> Open(const std::string& where);

  AccessLog() = default;
  AccessLog(AccessLog&& other) noexcept;
  AccessLog& operator=(AccessLog&& other) noexcept;
  ~AccessLog();

  // Opens the file `where` again. After a log rotation has renamed the old file, text lines go to a new one.
  Result<Done, std::string> Reopen(const std::string& where) const;

  bool enabled() const { return file_ >= 0; }
  // Writes whole text lines with one system call, so that text lines of several threads do not mix.
  void Write(std::string_view lines) const;

  static void AppendLine(const AccessLine& line, std::string_view time, std::string& out);
  // Like AppendLine(), but appends a JSON object.
  static void AppendJson(const AccessLine& line, std::string_view time, std::string& out);

 private:
  int file_ = -1;
};

}  // namespace maejin::http
