// A TCP proxy on loopback that drops one answer: it forwards the first request that contains a given text,
// discards the server's answer and closes the connection. The request took effect, and the client does not
// know.
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
  // Drops the answer of the next request that contains `text`; with `before`, drops the request itself.
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
