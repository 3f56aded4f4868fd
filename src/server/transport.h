// The bytes of one connection: reads and writes the socket, and enforces deadlines and rates. The derived
// class finds requests in the bytes. Lives on one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <new>
#include <string>

#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include "server/client_socket.h"
#include "server/connection_limits.h"
#include "server/listener_options.h"
#include "server/owed_budget.h"
#include "server/owed_bytes.h"
#include "server/read_buffer.h"
#include "server/shared.h"

namespace maejin::http {

class Worker;

class Transport
    : public boost::intrusive_ref_counter<Transport, boost::thread_unsafe_counter>,
      public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  using Pointer = boost::intrusive_ptr<Transport>;
  using TimePoint = std::chrono::steady_clock::time_point;

  struct Peer {
    std::string address;
    bool trusted_proxy = false;
    ListenerOptions listener = {};
  };
  Transport(Worker& worker, ClientSocket socket, ConnectionSlot slot, Peer peer);
  virtual ~Transport();

  void Start();
  // Enforces the deadlines and the minimum reading rate.
  void Sweep(TimePoint now);
  // Ends the connection as soon as no request is in flight.
  void Drain();
  void Close();

 protected:
  enum class State : std::uint8_t { kIdle, kHead, kBody, kRunning, kUploading, kLingering, kClosed };
  // The next action after a step: serve the next request, read bytes, wait for a handler, or end.
  enum class Next : std::uint8_t { kAgain, kRead, kWait, kEnd };

  // Takes the next step with the bytes of buffer_. Appends answers to Worker::out() or to owed_.
  virtual Next Advance() = 0;
  // Answers a request that has not arrived in time. The connection ends afterwards.
  virtual void AnswerTimeout() = 0;

  // Runs one step of the connection. An allocation that fails ends the connection, not the server.
  template <class Step>
  void Guard(Step&& step) {
    try {
      step();
    } catch (const std::bad_alloc&) {
      EndOutOfMemory();
    }
  }

  // Serves the requests in the buffer and writes their answers together.
  void Process();
  // Writes Worker::out(), or queues it behind the unsent output.
  void Flush();
  // Closes the connection. Precondition: Flush() has left no unsent output.
  void End();
  void SetDeadline(std::chrono::milliseconds from_now);
  // Sets the deadline for the next request: `ordinary`, or less on a reserved connection.
  void SetWaitDeadline(std::chrono::milliseconds ordinary);

  Worker& worker_;
  ClientSocket socket_;
  ConnectionSlot slot_;
  KeyedCount forwarded_;  // counts the running request under its forwarded address
  Peer peer_;
  ReadBuffer buffer_;
  OwedBytes owed_;  // unsent output
  TimePoint deadline_ = TimePoint::max();
  TimePoint body_started_;
  std::size_t received_ = 0;  // bytes of the body so far, for the minimum rate
  State state_ = State::kIdle;
  bool writing_ = false;
  bool requested_ = false;  // a request has arrived
  bool ending_ = false;     // the connection ends after the pending output
  bool unread_ = false;     // the client may still be sending
  bool keep_alive_ = true;

 private:
  void EndOutOfMemory();
  void Read();
  void OnReadableTls(boost::system::error_code error);
  void OnRead(boost::system::error_code error, std::size_t count);
  // Charges the budget for the unsent output. False: over budget, and the connection is closed.
  bool Charge();
  void WaitToWrite();
  void OnWritable();
  // Drops a client with unread answers that reads too slowly, or reads a text that was withdrawn. False: the
  // client was dropped.
  bool ReadsFastEnough(TimePoint now);
  void EnforceDeadlines(TimePoint now);
  // The number of bytes that the client's kernel has acknowledged, plus a constant: compare two calls.
  std::int64_t Delivered();
  void Drop(DropReason reason);

  OwedCharge charge_;                  // the memory of owed_, charged to the budget
  TimePoint window_started_;           // start of the window of the reading rate; valid while `writing_`
  std::int64_t window_delivered_ = 0;  // Delivered() at the start of the window
  bool reading_ = false;
  bool handshake_counted_ = false;  // the TLS handshake is complete
  bool lowat_set_ = false;          // TCP_NOTSENT_LOWAT is set
};

}  // namespace maejin::http
