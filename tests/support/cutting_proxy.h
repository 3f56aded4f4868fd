// A TCP proxy on loopback that can lose an answer: it forwards the first request that holds a given text,
// waits for the server's answer, throws it away and closes the connection. What was asked has happened;
// nobody was told.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace maejin::testing_support {

class CuttingProxy {
 public:
  explicit CuttingProxy(int server_port);
  ~CuttingProxy();
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  int port() const { return port_; }
  // The next request that holds `text` loses its answer; with `before`, it never reaches the server at all.
  void CutNext(std::string text, bool before = false);
  int cuts() const { return cuts_; }

 private:
  void AcceptLoop();
  void Serve(int client);
  bool TakeCut(std::string_view request, bool& before);

  int server_port_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<int> cuts_{0};
  std::mutex mutex_;
  std::string cut_;                       // guarded by mutex_
  bool cut_before_ = false;               // guarded by mutex_
  std::vector<std::thread> connections_;  // accept thread, then the destructor
  std::thread acceptor_;
};

}  // namespace maejin::testing_support
