// What a connection still owes its client, in order: bytes of its own, and large bodies that many answers
// share and none copies.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace maejin::http {

class OwedBytes {
 public:
  // A body from this size on is worth sharing.
  static constexpr std::size_t kWorthSharing = 16 * 1024;

  bool empty() const { return pieces_.empty(); }
  void Add(std::string_view bytes);
  void Add(std::shared_ptr<const std::string> body);
  // Hands over as much as the socket takes without waiting. False: the connection is broken.
  bool SendTo(int socket);
  // Everything as one text; afterwards nothing is owed.
  std::string Take();

 private:
  struct Piece {
    std::string own;
    std::shared_ptr<const std::string> shared;  // or null
    std::string_view Text() const { return shared ? std::string_view(*shared) : own; }
  };
  std::vector<Piece> pieces_;
  std::size_t offset_ = 0;  // of the first piece: so much is sent
};

}  // namespace maejin::http
