// One HTTP/1.1 connection: finds requests in the received bytes, has them answered in order, and writes the
// answers of one read together. Lives on one thread. An idle connection holds a small read buffer and nothing
// else.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "server/chunked.h"
#include "server/exchange.h"
#include "server/problem_writer.h"
#include "server/transport.h"

namespace maejin::http {

class Connection final : public Transport {
 public:
  using Pointer = boost::intrusive_ptr<Connection>;
  using Transport::Transport;

 private:
  class Upload;

  // From received bytes to whole requests.
  Next Advance() override;
  Next TakeHead();
  Next TakeBody();
  Next TakeChunks();
  void SkipEmptyLines();
  void BeginBody(std::size_t head_size);

  // From a request to its answer.
  void FillRequest(Exchange& exchange, std::string_view body);
  Next Dispatch(std::unique_ptr<Exchange> exchange);
  Next Refuse(std::unique_ptr<Exchange> exchange, const Refused& refused);
  // Refuses a request before its body was read. This ends the connection: the server does not know where the
  // next request starts.
  Next RefuseUnread(std::unique_ptr<Exchange> exchange, const Refused& refused);
  Next Fail(ServerProblem problem);
  Next FailHead(HeadError error);
  void AnswerTimeout() override;
  Next RunHandler(std::unique_ptr<Exchange> exchange);
  // Starts the coroutine that serves exchange_. kAgain: the coroutine has ended already, and its answer is
  // written.
  Next Spawn(Task<void> serve);
  Next StartStream(std::unique_ptr<Exchange> exchange);
  // Precondition: FindRefusal() did not refuse the request.
  Next StartUpload(std::unique_ptr<Exchange> exchange);
  Next Redirect(std::unique_ptr<Exchange> exchange);
  Next Options(std::unique_ptr<Exchange> exchange, std::string_view allow);
  // Counts the request under its forwarded address. False: the address is at its limit.
  bool CountForwarded(const Exchange& exchange);
  static Task<void> Serve(Pointer self);
  static Task<void> ServeUpload(Pointer self);
  void OnServed();
  void AnswerServed();
  void Answer(std::unique_ptr<Exchange> exchange);

  HeadScanner scanner_;
  ChunkDecoder chunks_;
  std::unique_ptr<Exchange> exchange_;  // the request whose handler runs; else null
  std::size_t head_size_ = 0;           // bytes of the current request's head
  std::size_t body_size_ = 0;           // bytes of its body: decoded so far (chunked), or announced
  bool spawning_ = false;
  bool served_ = false;
};

}  // namespace maejin::http
