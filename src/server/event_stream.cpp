#include "server/event_stream.h"

#include <algorithm>

#include <boost/asio/dispatch.hpp>

#include "server/worker.h"

namespace maejin::http {

Stream::Stream(Worker& worker) : worker_(worker) {}

// May run on any thread, and after the server's end: a closed stream uses neither the worker nor a socket.
Stream::~Stream() = default;

// A failed allocation ends the stream, not the server.
template <class Step>
void Stream::Guard(Step&& step) {
  try {
    step();
  } catch (const std::bad_alloc&) {
    Drop(DropReason::kOutOfMemory);
  }
}

void Stream::Send(SharedText frame) {
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

void Stream::Start(ClientSocket socket, ConnectionSlot slot, std::string first, std::string client) {
  socket_ = std::make_unique<ClientSocket>(std::move(socket));
  slot_ = std::move(slot);
  charge_ = OwedCharge(worker_.shared().owed, slot_.address());
  client_ = std::move(client);
  worker_.Enlist(*this);
  worker_.shared().metrics.streams_opened.Add();
  // The head goes before the frames that the handler has sent already.
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

void Stream::Append(SharedText frame) {
  if (!backlog_) backlog_ = std::make_unique<Backlog>();
  const auto size = frame->size();
  const bool elsewhere = frame.withdrawable();
  backlog_->frames.push_back(std::move(frame));
  backlog_->bytes += size;
  if (elsewhere) backlog_->counted_elsewhere += size;
}

bool Stream::Charge() {
  DropReason reason{};
  const auto bytes = backlog_ ? backlog_->bytes - std::min(backlog_->bytes, backlog_->counted_elsewhere) : 0;
  if (charge_.Set(bytes, reason)) return true;
  Drop(reason);
  return false;
}

bool Stream::withdrawn() const {
  if (!backlog_) return false;
  const auto& frames = backlog_->frames;
  return std::any_of(frames.begin(), frames.end(), [](const SharedText& text) { return text.withdrawn(); });
}

void Stream::Drop(DropReason reason) {
  if (closed()) return;
  worker_.shared().owed.CountDrop(reason, client_, backlog_ ? backlog_->bytes : 0);
  CloseNow();
}

void Stream::SendNow(SharedText frame) {
  Guard([&] { SendOrQueue(std::move(frame)); });
}

void Stream::SendOrQueue(SharedText frame) {
  if (closing_ || closed()) return;
  if (socket_ && !backlog_) {
    // The common case: the kernel takes the shared buffer whole.
    const auto sent = socket_->Send(frame->data(), frame->size());
    if (sent == static_cast<ssize_t>(frame->size())) return;
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return CloseNow();
    Append(std::move(frame));
    if (sent > 0) {
      backlog_->offset = static_cast<std::size_t>(sent);
      backlog_->bytes -= backlog_->offset;
    }
    return Charge() ? WaitToWrite() : void();
  }
  Append(std::move(frame));
  // The first frames may be large, such as a whole seat map. The limit applies to later frames in the
  // backlog.
  if (!socket_) return;
  if (backlog_->bytes > backlog_->welcome + worker_.options().stream_backlog_limit) {
    return Drop(DropReason::kStalled);
  }
  Charge();
}

void Stream::Write() {
  if (!backlog_ || closed()) return;
  auto& frames = backlog_->frames;
  std::size_t done = 0;
  while (done < frames.size()) {
    const auto rest = std::string_view(*frames[done]).substr(backlog_->offset);
    const auto sent = socket_->Send(rest.data(), rest.size());
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
  for (std::size_t i = 0; i < done; ++i) {
    if (frames[i].withdrawable()) backlog_->counted_elsewhere -= frames[i]->size();
  }
  frames.erase(frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(done));
  if (!frames.empty()) return Charge() ? WaitToWrite() : void();
  backlog_.reset();
  charge_.Clear();
  if (closing_) CloseNow();
}

void Stream::WaitToWrite() {
  if (waiting_to_write_) return;
  waiting_to_write_ = true;
  socket_->tcp().async_wait(Socket::wait_write, [self = shared_from_this()](boost::system::error_code error) {
    self->waiting_to_write_ = false;
    if (!error) self->Guard([&] { self->Write(); });
  });
}

// Discards what the client sends, and closes the stream when the client closes.
void Stream::WaitForEnd() {
  socket_->tcp().async_wait(Socket::wait_read, [self = shared_from_this()](boost::system::error_code error) {
    if (error || self->closed()) return self->CloseNow();
    char scratch[1024];
    ssize_t got = 0;
    do {
      got = self->socket_->Receive(scratch, sizeof scratch);
    } while (got > 0 && self->socket_->HasUnread());
    const bool alive = got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
    return alive ? self->WaitForEnd() : self->CloseNow();
  });
}

void Stream::CloseNow() {
  if (closed_.exchange(true)) return;
  backlog_.reset();
  charge_.Clear();
  unlink();
  if (socket_) {
    socket_->ShutdownSend();
    socket_.reset();
    worker_.shared().metrics.streams_closed.Add();
  }
  slot_ = ConnectionSlot();
  counts_.clear();
  worker_.StopIfDrained();
}

}  // namespace maejin::http
