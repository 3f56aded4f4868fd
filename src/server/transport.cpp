#include "server/transport.h"

#include <linux/sockios.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>

#include "server/worker.h"

namespace maejin::http {
namespace {

// Output of pipelined requests is written once it reaches this size.
constexpr std::size_t kFlushSize = 64 * 1024;
// Minimum space for one read.
constexpr std::size_t kMinReadSpace = 2048;
// How long a reserved connection waits for a request.
constexpr std::chrono::milliseconds kReservedWait{2'000};
// The kernel takes no more output while this many bytes are unsent. Otherwise it buffers megabytes for a slow
// reader.
constexpr int kUnsentInKernel = 128 * 1024;
// The minimum reading rate grows by this factor while memory is scarce.
constexpr std::size_t kScarceFactor = 16;

}  // namespace

Transport::Transport(Worker& worker, ClientSocket socket, ConnectionSlot slot, Peer peer)
    : worker_(worker),
      socket_(std::move(socket)),
      slot_(std::move(slot)),
      peer_(std::move(peer)),
      charge_(worker.shared().owed, slot_.address()) {
  worker_.Enlist(*this);
}

Transport::~Transport() { worker_.StopIfDrained(); }

void Transport::Start() {
  SetWaitDeadline(worker_.draining() ? worker_.options().first_request_wait
                                     : worker_.options().header_deadline);
  Read();
}

void Transport::SetWaitDeadline(std::chrono::milliseconds ordinary) {
  SetDeadline(slot_.restricted() ? std::min(ordinary, kReservedWait) : ordinary);
}

void Transport::EndOutOfMemory() {
  worker_.out().clear();  // otherwise the next connection would send half an answer of this one
  Drop(DropReason::kOutOfMemory);
}

void Transport::SetDeadline(std::chrono::milliseconds from_now) { deadline_ = worker_.now() + from_now; }

void Transport::Read() {
  if (reading_ || state_ == State::kClosed) return;
  reading_ = true;
  if (socket_.tls()) {
    auto on_readable = [self = Pointer(this)](boost::system::error_code error = {}) {
      self->Guard([&] { self->OnReadableTls(error); });
    };
    // The kernel does not report bytes that TLS has read ahead.
    if (socket_.HasUnread()) return boost::asio::post(worker_.executor(), std::move(on_readable));
    return socket_.tcp().async_wait(socket_.wait(), std::move(on_readable));
  }
  buffer_.Reserve(kMinReadSpace);
  socket_.tcp().async_read_some(boost::asio::buffer(buffer_.tail(), buffer_.room()),
                                [self = Pointer(this)](boost::system::error_code error, std::size_t count) {
                                  self->Guard([&] { self->OnRead(error, count); });
                                });
}

void Transport::OnReadableTls(boost::system::error_code error) {
  if (error || state_ == State::kClosed) return OnRead(error, 0);
  buffer_.Reserve(kMinReadSpace);
  const auto got = socket_.Receive(buffer_.tail(), buffer_.room());
  const bool blocked = got < 0 && errno == EAGAIN;
  if (!handshake_counted_ && socket_.handshake_done()) {
    auto& metrics = worker_.shared().metrics;
    handshake_counted_ = true;
    metrics.handshakes.Add();
    if (socket_.resumed()) metrics.resumed.Add();
    SetWaitDeadline(worker_.options().header_deadline);
  }
  if (blocked) {
    reading_ = false;
    return Read();
  }
  if (got <= 0) return OnRead(boost::asio::error::eof, 0);
  OnRead({}, static_cast<std::size_t>(got));
}

void Transport::OnRead(boost::system::error_code error, std::size_t count) {
  reading_ = false;
  if (state_ == State::kClosed) return;
  if (error) return Close();
  if (state_ == State::kLingering) return Read();  // the bytes are discarded
  buffer_.Commit(count);
  if (state_ == State::kBody) received_ += count;
  Process();
}

void Transport::Process() {
  while (true) {
    const Next next = Advance();
    if (next == Next::kAgain && keep_alive_) {
      if (worker_.out().size() < kFlushSize && owed_.empty()) continue;
      Flush();
      if (writing_ || state_ == State::kClosed) return;  // OnWritable() goes on
      continue;
    }
    if (next == Next::kEnd || next == Next::kAgain) {
      ending_ = true;
      unread_ = unread_ || buffer_.size() > 0;
    }
    Flush();
    if (state_ == State::kClosed || writing_) return;
    if (ending_) return End();
    if (next == Next::kRead) Read();
    return;
  }
}

void Transport::Flush() {
  auto& out = worker_.out();
  if (writing_ || !owed_.empty()) {
    owed_.Add(out);
    out.clear();
    if (writing_) {
      Charge();
      return;
    }
    if (!lowat_set_) {
      setsockopt(socket_.descriptor(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &kUnsentInKernel,
                 sizeof kUnsentInKernel);
      lowat_set_ = true;
    }
    if (!owed_.SendTo(socket_)) return Close();
    if (!owed_.empty() && Charge()) WaitToWrite();
    return;
  }
  if (out.empty()) return;
  const auto sent = socket_.Send(out.data(), out.size());
  if (sent < 0 && errno != EAGAIN && errno != EINTR) {
    out.clear();
    return Close();
  }
  const auto count = sent < 0 ? 0 : static_cast<std::size_t>(sent);
  if (count < out.size()) {
    owed_.Add(std::string_view(out).substr(count));
    if (Charge()) WaitToWrite();
  }
  if (out.capacity() > 4 * kFlushSize) std::string().swap(out);
  out.clear();
}

bool Transport::Charge() {
  DropReason reason{};
  if (charge_.Set(owed_.own_bytes(), reason)) return true;
  Drop(reason);
  return false;
}

void Transport::WaitToWrite() {
  if (!writing_) {
    window_started_ = worker_.now();
    window_delivered_ = Delivered();
  }
  writing_ = true;
  deadline_ = worker_.now() + worker_.options().write_deadline;
  socket_.tcp().async_wait(Socket::wait_write, [self = Pointer(this)](boost::system::error_code error) {
    if (self->state_ == State::kClosed) return;
    if (error) return self->Close();
    self->Guard([&] { self->OnWritable(); });
  });
}

void Transport::OnWritable() {
  if (!owed_.SendTo(socket_)) return Close();
  if (!Charge()) return;
  if (!owed_.empty()) return WaitToWrite();
  writing_ = false;
  if (ending_) return End();
  if (state_ == State::kRunning || state_ == State::kUploading) {
    deadline_ = TimePoint::max();
    return;
  }
  if (state_ != State::kBody) SetDeadline(worker_.options().header_deadline);
  Process();
}

// The kernel takes bytes in bursts; only acknowledged bytes show how fast the client reads.
std::int64_t Transport::Delivered() {
  int in_kernel = 0;
  ioctl(socket_.descriptor(), SIOCOUTQ, &in_kernel);
  return static_cast<std::int64_t>(owed_.handed_over()) - in_kernel;
}

bool Transport::ReadsFastEnough(TimePoint now) {
  if (owed_.withdrawn()) {
    Drop(DropReason::kWithdrawn);
    return false;
  }
  const auto& options = worker_.options();
  const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(now - window_started_);
  if (options.least_read_bytes_per_second == 0 || elapsed < options.read_window) return true;
  const auto rate =
      options.least_read_bytes_per_second * (worker_.shared().owed.scarce() ? kScarceFactor : 1);
  const auto delivered = Delivered();
  if (delivered - window_delivered_ < static_cast<std::int64_t>(rate) * elapsed.count() / 1000) {
    Drop(DropReason::kTooSlow);
    return false;
  }
  window_started_ = now;
  window_delivered_ = delivered;
  return true;
}

void Transport::Drop(DropReason reason) {
  if (state_ == State::kClosed) return;
  worker_.shared().owed.CountDrop(reason, peer_.address, owed_.size());
  Close();
}

// Closes the sending side. If the client may still be sending, the connection reads on for a while: closing
// with unread bytes would reset it, and the client would lose the answer.
void Transport::End() {
  socket_.ShutdownSend();
  if (!unread_) return Close();
  state_ = State::kLingering;
  SetDeadline(worker_.options().linger);
  Read();
}

void Transport::Close() {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  if (peer_.listener.tls && !handshake_counted_) worker_.shared().metrics.failed_handshakes.Add();
  socket_.Close();
  slot_ = ConnectionSlot();
  forwarded_ = KeyedCount();
  owed_.Clear();  // the object may outlive its socket while a handler runs
  charge_.Clear();
  unlink();
}

// Closing a connection with a request in flight would reset it. So a request that the kernel has received is
// served, and a client that has just connected gets some time to send its first request.
void Transport::Drain() {
  if (state_ != State::kIdle || buffer_.size() > 0) return;
  int received = 0;
  ioctl(socket_.descriptor(), FIONREAD, &received);
  if (received > 0 || socket_.HasUnread()) return;
  if (requested_) return Close();
  SetDeadline(worker_.options().first_request_wait);
}

void Transport::Sweep(TimePoint now) {
  Guard([&] { EnforceDeadlines(now); });
}

void Transport::EnforceDeadlines(TimePoint now) {
  if (writing_ && !ReadsFastEnough(now)) return;
  if (now < deadline_) return;
  if (!writing_ && (state_ == State::kBody || state_ == State::kUploading)) {
    const auto earned =
        std::chrono::milliseconds(received_ * 1000 / worker_.options().least_body_bytes_per_second);
    deadline_ = body_started_ + worker_.options().body_grace + earned;
    if (now < deadline_) return;
  }
  if (state_ == State::kUploading && !writing_) {
    socket_.tcp().cancel();  // BodyReader::Next() then refuses
    return;
  }
  const bool slow_request = state_ == State::kHead || state_ == State::kBody;
  if (writing_) return Drop(DropReason::kStalled);
  if (!slow_request || buffer_.size() == 0) return Close();
  AnswerTimeout();
  ending_ = true;
  Flush();
  if (!writing_ && state_ != State::kClosed) End();
}

}  // namespace maejin::http
