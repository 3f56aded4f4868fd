#include "server/event_stream.h"

#include <sys/socket.h>
#include <boost/asio/dispatch.hpp>

#include "server/worker.h"

namespace maejin::http {

Stream::Stream(Worker& worker) : worker_(worker) {}

// May run on any thread, and after the server is gone: a closed stream touches neither.
Stream::~Stream() = default;

void Stream::Send(std::shared_ptr<const std::string> frame) {
  if (closed()) return;
  boost::asio::dispatch(worker_.executor(), [self = shared_from_this(), frame = std::move(frame)]() mutable {
    self->SendNow(std::move(frame));
  });
}

void Stream::Close() {
  if (closed()) return;
  boost::asio::dispatch(worker_.executor(), [self = shared_from_this()] {
    self->closing_ = true;
    if (self->socket_ && !self->backlog_) self->CloseNow();
  });
}

void Stream::Start(Socket socket, ConnectionSlot slot, std::string first) {
  socket_ = std::make_unique<Socket>(std::move(socket));
  slot_ = std::move(slot);
  worker_.Enlist(*this);
  worker_.shared().metrics.streams_opened.Add();
  // The head goes before whatever the handler sent already.
  auto waiting = std::move(backlog_);
  Append(std::make_shared<const std::string>(std::move(first)));
  if (waiting) {
    for (auto& frame : waiting->frames) Append(std::move(frame));
  }
  backlog_->welcome = backlog_->bytes;
  WaitForEnd();
  Write();
}

void Stream::Drain(const std::shared_ptr<const std::string>& farewell) {
  SendNow(farewell);
  closing_ = true;
  if (!backlog_) CloseNow();
}

void Stream::Append(std::shared_ptr<const std::string> frame) {
  if (!backlog_) backlog_ = std::make_unique<Backlog>();
  backlog_->bytes += frame->size();
  backlog_->frames.push_back(std::move(frame));
}

void Stream::SendNow(std::shared_ptr<const std::string> frame) {
  if (closing_ || closed()) return;
  if (socket_ && !backlog_) {
    // The common case: the kernel takes the shared buffer whole.
    const auto sent =
        send(socket_->native_handle(), frame->data(), frame->size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent == static_cast<ssize_t>(frame->size())) return;
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return CloseNow();
    Append(std::move(frame));
    if (sent > 0) {
      backlog_->offset = static_cast<std::size_t>(sent);
      backlog_->bytes -= backlog_->offset;
    }
    return WaitToWrite();
  }
  Append(std::move(frame));
  // The welcome may be large (a whole seat map) and take its time; what piles up behind it may not.
  if (!socket_) return;
  if (backlog_->bytes > backlog_->welcome + worker_.options().stream_backlog_limit) CloseNow();
}

void Stream::Write() {
  if (!backlog_ || closed()) return;
  auto& frames = backlog_->frames;
  std::size_t done = 0;
  while (done < frames.size()) {
    const auto rest = std::string_view(*frames[done]).substr(backlog_->offset);
    const auto sent = send(socket_->native_handle(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN) return CloseNow();
      break;
    }
    backlog_->bytes -= static_cast<std::size_t>(sent);
    backlog_->offset += static_cast<std::size_t>(sent);
    if (static_cast<std::size_t>(sent) < rest.size()) break;
    backlog_->offset = 0;
    ++done;
  }
  frames.erase(frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(done));
  if (!frames.empty()) return WaitToWrite();
  backlog_.reset();
  if (closing_) CloseNow();
}

void Stream::WaitToWrite() {
  if (waiting_to_write_) return;
  waiting_to_write_ = true;
  socket_->async_wait(Socket::wait_write, [self = shared_from_this()](boost::system::error_code error) {
    self->waiting_to_write_ = false;
    if (!error) self->Write();
  });
}

// A listener has nothing more to say: bytes are thrown away, an end closes the stream.
void Stream::WaitForEnd() {
  socket_->async_wait(Socket::wait_read, [self = shared_from_this()](boost::system::error_code error) {
    if (error || self->closed()) return self->CloseNow();
    char scratch[1024];
    const auto got = recv(self->socket_->native_handle(), scratch, sizeof scratch, MSG_DONTWAIT);
    const bool alive = got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
    return alive ? self->WaitForEnd() : self->CloseNow();
  });
}

void Stream::CloseNow() {
  if (closed_.exchange(true)) return;
  backlog_.reset();
  unlink();
  boost::system::error_code ignored;
  if (socket_) {
    socket_->shutdown(Socket::shutdown_both, ignored);
    socket_.reset();
    worker_.shared().metrics.streams_closed.Add();
  }
  slot_ = ConnectionSlot();
  worker_.NoteEnd();
}

}  // namespace maejin::http
