// Every connection is an open file, and the soft limit is often far below what the system would allow.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>

namespace maejin {

// Asks for all that this process may have; returns how many it may open now.
inline std::int64_t RaiseOpenFiles() {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_cur != files.rlim_max) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    getrlimit(RLIMIT_NOFILE, &files);
  }
  return static_cast<std::int64_t>(std::min<rlim_t>(files.rlim_cur, INT32_MAX));
}

}  // namespace maejin
