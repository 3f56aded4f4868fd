// One HTTP/1.1 connection: reads requests, has them answered in order, and writes the answers of one read
// together. Lives on one thread. An idle connection holds a small read buffer and nothing else.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <boost/intrusive/list.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include "server/chunked.h"
#include "server/connection_limits.h"
#include "server/exchange.h"
#include "server/owed_budget.h"
#include "server/owed_bytes.h"
#include "server/problem_writer.h"
#include "server/read_buffer.h"
#include "server/shared.h"

namespace maejin::http {

class Worker;

class Connection final
    : public boost::intrusive_ref_counter<Connection, boost::thread_unsafe_counter>,
      public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  using Pointer = boost::intrusive_ptr<Connection>;
  using TimePoint = std::chrono::steady_clock::time_point;

  struct Peer {
    std::string address;
    bool trusted_proxy = false;
  };
  Connection(Worker& worker, Socket socket, ConnectionSlot slot, Peer peer);
  ~Connection();

  void Start();
  // Enforces the deadlines and the minimum reading rate.
  void Sweep(TimePoint now);
  // Ends the connection as soon as no request is in flight.
  void Drain();
  void Abort();

 private:
  class Upload;
  enum class State : std::uint8_t { kIdle, kHead, kBody, kRunning, kUploading, kLingering, kClosed };
  // What to do after a step: the next request, wait for bytes, wait for a handler, or end.
  enum class Next : std::uint8_t { kAgain, kRead, kWait, kEnd };

  // Runs one step of the connection. An allocation that fails ends the connection, not the server.
  template <class Step>
  void Guard(Step&& step) {
    try {
      step();
    } catch (const std::bad_alloc&) {
      EndOutOfMemory();
    }
  }
  void EndOutOfMemory();

  // Bytes in.
  void Read();
  void OnRead(boost::system::error_code error, std::size_t count);
  void Process();
  Next Advance();
  Next TakeHead();
  Next TakeBody();
  Next TakeChunks();
  void SkipEmptyLines();
  void BeginBody(std::size_t head_size);

  // Requests.
  void Understand(Exchange& exchange, std::string_view head);
  Next Dispatch(std::unique_ptr<Exchange> exchange);
  Next Refuse(std::unique_ptr<Exchange> exchange, const Refused& refused);
  Next Fail(ServerProblem problem);
  Next FailHead(HeadError error);
  Next RunHandler(std::unique_ptr<Exchange> exchange);
  // Starts the coroutine that serves exchange_. kAgain: it has answered already.
  Next Spawn(Task<void> serve);
  Next StartStream(std::unique_ptr<Exchange> exchange);
  // Whether a request of this route may use the connection. A reserved connection serves only some routes.
  // Precondition: the access to the route was checked.
  bool MayServe(const Route& route) const;
  // Counts the request under its forwarded address. False: the address is at its limit.
  bool CountForwarded(const Exchange& exchange);
  // Counts a stream under its token and its user. False: one of them is at its limit.
  bool CountStream(const Request& request, std::vector<KeyedCount>& counts);
  Next StartUpload(std::unique_ptr<Exchange> exchange);
  AdminVerdict CheckAdmin(const Request& request);
  static Refused RefusalOf(AdminVerdict verdict);
  Next Options(std::unique_ptr<Exchange> exchange, std::string_view allow);
  static Task<void> Serve(Pointer self);
  static Task<void> ServeUpload(Pointer self);
  // Logs the whole exception; the response says as little as possible.
  void AnswerWithError(Exchange& exchange, std::exception_ptr thrown);
  void OnServed();
  void AnswerServed();

  // Bytes out.
  void Answer(std::unique_ptr<Exchange> exchange);
  void Flush();
  // Charges the budget for the unsent output. False: over budget, and the connection is closed.
  bool Charge();
  void WaitToWrite();
  void OnWritable();
  // Drops a client with unread answers that reads too slowly, or reads a text that was withdrawn. False:
  // dropped.
  bool ReadsFastEnough(TimePoint now);
  void EnforceDeadlines(TimePoint now);
  // Counts the bytes that the client's kernel has acknowledged, from an arbitrary start.
  std::int64_t Delivered();
  void Drop(DropReason reason);
  void End();
  void Close();
  void SetDeadline(std::chrono::milliseconds from_now);
  // The deadline for the next request: `ordinary`, or less on a reserved connection.
  void SetWaitDeadline(std::chrono::milliseconds ordinary);

  Worker& worker_;
  Socket socket_;
  ConnectionSlot slot_;
  KeyedCount forwarded_;  // the running request, under the address that a trusted proxy forwarded
  Peer peer_;
  ReadBuffer buffer_;
  HeadScanner scanner_;
  ChunkDecoder chunks_;
  OwedBytes owed_;                      // unsent output
  OwedCharge charge_;                   // for owed_
  std::unique_ptr<Exchange> exchange_;  // while a handler runs
  TimePoint deadline_ = TimePoint::max();
  TimePoint body_started_;
  TimePoint window_started_;           // of the reading rate; since `writing_`
  std::int64_t window_delivered_ = 0;  // Delivered() at that moment
  std::size_t head_size_ = 0;          // of the request whose body is awaited
  std::size_t body_size_ = 0;          // decoded so far (chunked) or announced
  std::size_t received_ = 0;           // bytes of the body so far, for the minimum rate
  State state_ = State::kIdle;
  bool writing_ = false;
  bool reading_ = false;
  bool requested_ = false;  // a request has arrived
  bool ending_ = false;     // the connection ends after the pending output
  bool unread_ = false;     // the client may still be sending
  bool lowat_set_ = false;  // TCP_NOTSENT_LOWAT is set
  bool spawning_ = false;
  bool served_ = false;
  bool keep_alive_ = true;
};

}  // namespace maejin::http
