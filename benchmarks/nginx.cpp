#include "benchmarks/nginx.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace maejin::bench {
namespace {

sockaddr_in Loopback(int port) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(static_cast<std::uint16_t>(port));
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return at;
}

bool Answers(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto at = Loopback(port);
  const bool connected = connect(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0;
  close(fd);
  return connected;
}

// A parameter of nginx's configuration has at most 4 KiB, so a longer body is split over variables.
std::string ReturnOf(const std::string& body) {
  constexpr std::size_t kPiece = 3000;
  if (body.size() <= kPiece) return fmt::format("return 200 '{}';", body);
  std::string settings;
  std::string names;
  for (std::size_t at = 0; at < body.size(); at += kPiece) {
    settings += fmt::format("set $piece{} '{}'; ", at, body.substr(at, kPiece));
    names += fmt::format("$piece{}", at);
  }
  return fmt::format("{}return 200 {};", settings, names);
}

std::string Configuration(const std::string& folder, int workers, const NginxSetup& setup) {
  return fmt::format(R"({main}daemon off;
worker_processes {workers};
pid {folder}/nginx.pid;
error_log {folder}/error.log crit;
events {{ worker_connections 20000; }}
http {{
  access_log off;
  keepalive_requests 1000000000;
  server_tokens off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
{http}}}
)",
                     fmt::arg("main", setup.main), fmt::arg("workers", workers), fmt::arg("folder", folder),
                     fmt::arg("http", setup.http));
}

NginxSetup Returns(const std::string& body, int port) {
  return {"", fmt::format("  server {{\n    listen 127.0.0.1:{} reuseport;\n    location / {{ default_type "
                          "application/json; {} }}\n  }}\n",
                          port, ReturnOf(body))};
}

}  // namespace

int FreePort() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto at = Loopback(0);
  socklen_t size = sizeof at;
  const bool bound = bind(fd, reinterpret_cast<const sockaddr*>(&at), size) == 0 &&
                     getsockname(fd, reinterpret_cast<sockaddr*>(&at), &size) == 0;
  close(fd);
  if (!bound) throw std::runtime_error("no free port");
  return ntohs(at.sin_port);
}

Nginx::Nginx(const std::string& body, int workers)
    : Nginx([&](const std::string&, int port) { return Returns(body, port); }, workers) {}

Nginx::Nginx(const std::function<NginxSetup(const std::string& folder, int port)>& setup, int workers) {
  char name[] = "/tmp/maejin-nginx-XXXXXX";
  if (!mkdtemp(name)) throw std::runtime_error("cannot make a folder for nginx");
  folder_ = name;
  const int port = FreePort();
  address_ = fmt::format("127.0.0.1:{}", port);
  const auto file = folder_ + "/nginx.conf";
  std::ofstream(file) << Configuration(folder_, workers, setup(folder_, port));
  master_ = fork();
  if (master_ == 0) {
    const auto log = folder_ + "/error.log";
    for (const char* program : {"/usr/sbin/nginx", "/usr/bin/nginx"}) {
      execl(program, "nginx", "-p", folder_.c_str(), "-e", log.c_str(), "-c", file.c_str(), nullptr);
    }
    _exit(127);
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds{5};
  while (!Answers(port)) {
    if (waitpid(master_, nullptr, WNOHANG) != 0 || std::chrono::steady_clock::now() > end) {
      master_ = -1;
      throw std::runtime_error("nginx does not start (Debian package nginx-light)");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
}

Nginx::~Nginx() {
  if (master_ > 0) {
    kill(master_, SIGTERM);
    waitpid(master_, nullptr, 0);
  }
  std::filesystem::remove_all(folder_);
}

std::vector<pid_t> Nginx::pids() const {
  std::vector<pid_t> pids;
  std::ifstream children(fmt::format("/proc/{}/task/{}/children", master_, master_));
  for (pid_t pid = 0; children >> pid;) pids.push_back(pid);
  return pids;
}

}  // namespace maejin::bench
