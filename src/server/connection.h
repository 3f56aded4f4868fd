// One HTTP/1.1 connection: reads requests, lets them be answered in order, writes the answers of one read
// together. Lives on one thread. Waiting for its next request it holds a small read buffer and nothing else.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <string>

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
  // Ends what has taken too long.
  void Sweep(TimePoint now);
  // Ends the connection as soon as no request is under way.
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
  // Starts the coroutine of exchange_. What it answered, if it has answered already.
  Next Spawn(Task<void> serve);
  Next StartStream(std::unique_ptr<Exchange> exchange);
  Next StartUpload(std::unique_ptr<Exchange> exchange);
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
  // Charges the budget for what is unsent. False: over budget, and the connection is closed.
  bool Charge();
  void WaitToWrite();
  void OnWritable();
  // Whether a client with unread answers may stay: fast enough, and the text it reads not withdrawn.
  bool ReadsFastEnough(TimePoint now);
  void EndWhatTakesTooLong(TimePoint now);
  // Counts the bytes that the client's kernel has acknowledged, from an arbitrary start.
  std::int64_t Delivered();
  void Drop(DropReason reason);
  void End();
  void Close();
  void SetDeadline(std::chrono::milliseconds from_now);

  Worker& worker_;
  Socket socket_;
  ConnectionSlot slot_;
  Peer peer_;
  ReadBuffer buffer_;
  HeadScanner scanner_;
  ChunkDecoder chunks_;
  OwedBytes owed_;                      // output the client has not taken yet
  OwedCharge charge_;                   // for owed_
  std::unique_ptr<Exchange> exchange_;  // while a handler runs
  TimePoint deadline_ = TimePoint::max();
  TimePoint body_started_;
  TimePoint window_started_;           // of the reading rate; since `writing_`
  std::int64_t window_delivered_ = 0;  // Delivered() at that moment
  std::size_t head_size_ = 0;          // of the request whose body is awaited
  std::size_t body_size_ = 0;          // decoded so far (chunked) or announced
  std::size_t received_ = 0;           // bytes of the body so far, for the least rate
  State state_ = State::kIdle;
  bool writing_ = false;
  bool reading_ = false;
  bool ending_ = false;         // nothing more is read after what is being written
  bool unread_ = false;         // the client may still be sending
  bool little_unsent_ = false;  // the kernel keeps little that is unsent
  bool spawning_ = false;
  bool served_ = false;
  bool keep_alive_ = true;
};

}  // namespace maejin::http
