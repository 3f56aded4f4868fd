// The unsent output of one connection, in order: bytes of its own, and large texts that it shares with other
// connections.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/shared_text.h"

namespace maejin::http {

class ClientSocket;

class OwedBytes {
 public:
  // A Response::shared_body of at least this size is sent without a copy.
  static constexpr std::size_t kShareFrom = 16 * 1024;

  bool empty() const { return pieces_.empty(); }
  void Add(std::string_view bytes);
  void Add(SharedText body);
  // Sends as much as the socket takes without blocking. False: the connection is broken.
  bool SendTo(ClientSocket& socket);
  // Moves everything out, as one text.
  std::string Take();
  void Clear();

  // Memory that this connection alone keeps. Shared texts are counted by their owner.
  std::size_t own_bytes() const;
  // All unsent bytes, including those of shared texts.
  std::size_t size() const;
  // True: the owner of an unsent shared text needs its memory back.
  bool withdrawn() const;
  // Bytes handed to the socket since the connection began.
  std::uint64_t handed_over() const { return handed_over_; }

 private:
  struct Piece {
    std::string own;
    SharedText shared;  // or empty
    std::string_view Text() const { return shared ? std::string_view(*shared) : own; }
  };
  std::vector<Piece> pieces_;
  std::size_t offset_ = 0;  // bytes of the first piece that are sent
  std::uint64_t handed_over_ = 0;
};

}  // namespace maejin::http
