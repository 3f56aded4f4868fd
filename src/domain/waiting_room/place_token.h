// A fan's receipt for a place, signed: base64url(payload) "." base64url(first 16 bytes of
// HMAC-SHA-256(payload)). Payload: version, key's number, epoch, place's number, length of the room's name,
// the room's name, the user's id. It says the same from joining to leaving, survives a closed tab, another
// device and a restart, and is checked on every poll without allocating.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/key_ring.h"
#include "domain/waiting_room/places.h"

namespace maejin {

// Whose place, in which room. Views: valid as long as what they were made from.
struct PlaceView {
  std::string_view room;
  std::string_view user;
  // 0: the place of `user`, whatever its number.
  PlaceNumber number = 0;
  std::uint32_t epoch = 0;
};

inline constexpr std::size_t kMaxRoomName = 32;
inline constexpr std::size_t kMaxUserId = 128;

// Appends the token of a place. room ≤ kMaxRoomName, user ≤ kMaxUserId bytes.
void AppendPlaceToken(const KeyRing& keys, const PlaceView& place, std::string& out);

// A token that was read: owns the bytes its view points into, so it is neither copied nor moved.
class PlaceToken {
 public:
  PlaceToken() = default;
  PlaceToken(const PlaceToken&) = delete;
  PlaceToken& operator=(const PlaceToken&) = delete;

  // False for anything but a token these keys made, to the last bit.
  bool Read(const KeyRing& keys, std::string_view text);
  const PlaceView& place() const { return place_; }

 private:
  static constexpr std::size_t kHead = 11;
  std::array<std::uint8_t, kHead + kMaxRoomName + kMaxUserId> bytes_;
  PlaceView place_;
};

}  // namespace maejin
