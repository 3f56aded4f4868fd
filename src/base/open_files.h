// Each connection needs a file descriptor, and the default soft limit is often far below the hard limit.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <cstdint>

namespace maejin {

// Raises the soft limit to the hard limit; returns the limit now.
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
