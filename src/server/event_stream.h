// The server's side of one Server-Sent Events listener: a socket, a place in a list, and nothing else while
// idle.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <boost/intrusive/list.hpp>

#include "server/connection_limits.h"
#include "server/router.h"
#include "server/shared.h"

namespace maejin::http {

class Worker;

class Stream final
    : public EventStream,
      public std::enable_shared_from_this<Stream>,
      public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  explicit Stream(Worker& worker);
  ~Stream() override;

  // Any thread.
  void Send(std::shared_ptr<const std::string> frame) override;
  void Close() override;
  bool closed() const override { return closed_.load(std::memory_order_acquire); }

  // The worker's thread: takes over the connection; `first` (the head) goes out before any frame.
  void Start(Socket socket, ConnectionSlot slot, std::string first);
  void Drain(const std::shared_ptr<const std::string>& farewell);
  void SendNow(std::shared_ptr<const std::string> frame);
  void CloseNow();

 private:
  // Exists only while the listener is slower than we are, or before Start().
  struct Backlog {
    std::vector<std::shared_ptr<const std::string>> frames;
    std::size_t offset = 0;  // of the first frame
    std::size_t bytes = 0;
    std::size_t welcome = 0;  // bytes of what the handler sent before Start()
  };
  void WaitForEnd();
  void WaitToWrite();
  void Append(std::shared_ptr<const std::string> frame);
  void Write();

  Worker& worker_;
  std::unique_ptr<Socket> socket_;
  std::unique_ptr<Backlog> backlog_;
  ConnectionSlot slot_;
  std::atomic<bool> closed_{false};
  bool closing_ = false;
  bool waiting_to_write_ = false;
};

}  // namespace maejin::http
