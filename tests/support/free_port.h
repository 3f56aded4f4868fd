// Ports for servers on this machine.
#pragma once

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace maejin::test {

inline bool IsFree(std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool free = bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  close(fd);
  return free;
}

// Allocates ports round-robin across processes, so that no two servers get the same port, even while one is
// down. The counter is the length of a file, which deploy/ports.py shares.
inline std::uint16_t FreePort() {
  constexpr off_t kFirst = 20'000;  // below the ephemeral ports of the kernel
  constexpr off_t kCount = 12'000;
  const auto turns = std::filesystem::temp_directory_path() / ("maejin-ports-" + std::to_string(geteuid()));
  const int fd = open(turns.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0 || flock(fd, LOCK_EX) != 0) throw std::runtime_error("cannot lock " + turns.string());
  std::uint16_t port = 0;
  do {
    port = static_cast<std::uint16_t>(kFirst + lseek(fd, 0, SEEK_END) % kCount);
    if (write(fd, ".", 1) != 1) throw std::runtime_error("cannot write " + turns.string());
  } while (!IsFree(port));
  close(fd);
  return port;
}

}  // namespace maejin::test
