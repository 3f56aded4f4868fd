#include "server/owed_bytes.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "server/client_socket.h"

namespace maejin::http {

void OwedBytes::Add(std::string_view bytes) {
  if (bytes.empty()) return;
  if (pieces_.empty() || pieces_.back().shared) pieces_.emplace_back();
  pieces_.back().own += bytes;
}

void OwedBytes::Add(SharedText body) {
  if (!body->empty()) pieces_.push_back({{}, std::move(body)});
}

bool OwedBytes::SendTo(ClientSocket& socket) {
  std::size_t done = 0;
  while (done < pieces_.size()) {
    const auto rest = pieces_[done].Text().substr(offset_);
    const auto sent = socket.Send(rest.data(), rest.size(), done + 1 < pieces_.size());
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && errno != EAGAIN) return false;
    const auto taken = sent < 0 ? 0 : static_cast<std::size_t>(sent);
    offset_ += taken;
    handed_over_ += taken;
    if (sent < static_cast<ssize_t>(rest.size())) break;
    offset_ = 0;
    ++done;
  }
  pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(done));
  if (pieces_.empty()) std::vector<Piece>().swap(pieces_);  // an idle connection keeps no memory here
  return true;
}

std::string OwedBytes::Take() {
  std::string all;
  for (const auto& piece : pieces_) all += piece.Text();
  all.erase(0, offset_);
  Clear();
  return all;
}

void OwedBytes::Clear() {
  std::vector<Piece>().swap(pieces_);
  offset_ = 0;
}

std::size_t OwedBytes::own_bytes() const {
  std::size_t bytes = 0;
  for (const auto& piece : pieces_) bytes += piece.own.capacity();
  return bytes;
}

std::size_t OwedBytes::size() const {
  std::size_t bytes = 0;
  for (const auto& piece : pieces_) bytes += piece.Text().size();
  return bytes - offset_;
}

bool OwedBytes::withdrawn() const {
  return std::any_of(pieces_.begin(), pieces_.end(),
                     [](const Piece& piece) { return piece.shared.withdrawn(); });
}

}  // namespace maejin::http
