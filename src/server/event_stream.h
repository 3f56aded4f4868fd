// The server's side of one Server-Sent Events stream. An idle stream holds a socket and a list hook.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <boost/intrusive/list.hpp>

#include "server/client_socket.h"
#include "server/connection_limits.h"
#include "server/owed_budget.h"
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

  // Send(), Close() and closed() may be called from any thread.
  void Send(SharedText frame) override;
  void Close() override;
  bool closed() const override { return closed_.load(std::memory_order_acquire); }

  // Takes over the connection. Call on the worker's thread. `first` (the head) is sent before any frame.
  void Start(ClientSocket socket, ConnectionSlot slot, std::string first, std::string client);
  // Keeps these counts until the stream ends.
  void Keep(std::vector<KeyedCount> counts) { counts_ = std::move(counts); }
  void Drain(const std::shared_ptr<const std::string>& farewell);
  void SendNow(SharedText frame);
  void CloseNow();
  void Drop(DropReason reason);
  // True: the owner of a text in the backlog has withdrawn it.
  bool withdrawn() const;

 private:
  // Frames that are not sent yet. Exists only before Start() and while the client reads too slowly.
  struct Backlog {
    std::vector<SharedText> frames;
    std::size_t offset = 0;  // bytes of the first frame that are sent
    std::size_t bytes = 0;
    std::size_t welcome = 0;            // bytes of the head and of the frames from before Start()
    std::size_t counted_elsewhere = 0;  // bytes of texts whose memory their owner limits
  };
  void WaitForEnd();
  void WaitToWrite();
  void SendOrQueue(SharedText frame);
  void Append(SharedText frame);
  // Charges the budget for the backlog. False: over budget, and the stream is closed.
  bool Charge();
  template <class Step>
  void Guard(Step&& step);
  void Write();

  Worker& worker_;
  std::unique_ptr<ClientSocket> socket_;
  std::unique_ptr<Backlog> backlog_;
  ConnectionSlot slot_;
  OwedCharge charge_;
  std::vector<KeyedCount> counts_;
  std::string client_;
  std::atomic<bool> closed_{false};
  bool closing_ = false;
  bool waiting_to_write_ = false;
};

}  // namespace maejin::http
