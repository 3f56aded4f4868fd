// The token of a place: base64url(payload) "." base64url(first 16 bytes of HMAC-SHA-256(payload)). Payload:
// version, key number, epoch, place number, length of the room's name, the room's name, the user's id. The
// token is constant while the place lives, works on any device and after a restart, and is read without
// allocating.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/key_ring.h"
#include "base/time.h"
#include "domain/waiting_room/places.h"
#include "domain/words.h"

namespace maejin {

// The contents of a token. The views are valid as long as the texts that they point to.
struct PlaceView {
  std::string_view room;
  std::string_view user;
  // 0: the living place of `user`.
  PlaceNumber number = 0;
  std::uint32_t epoch = 0;
};

inline constexpr std::size_t kMaxUserId = 128;

// The epoch of a room that is created at `now`: its second, so that a new room has another epoch than a
// deleted room of the same name.
inline std::uint32_t EpochOf(Time now) { return static_cast<std::uint32_t>(ToMillis(now) / 1000); }

// Appends the token of a place. room ≤ kMaxRoomName, user ≤ kMaxUserId bytes.
void AppendPlaceToken(const KeyRing& keys, const PlaceView& place, std::string& out);

// A token that was read. Owns the bytes that its view points to, so it is neither copied nor moved.
class PlaceToken {
 public:
  PlaceToken() = default;
  PlaceToken(const PlaceToken&) = delete;
  PlaceToken& operator=(const PlaceToken&) = delete;

  // False unless the text is exactly a token signed by one of these keys.
  bool Read(const KeyRing& keys, std::string_view text);
  const PlaceView& place() const { return place_; }

 private:
  static constexpr std::size_t kHead = 11;
  std::array<std::uint8_t, kHead + kMaxRoomName + kMaxUserId> bytes_;
  PlaceView place_;
};

}  // namespace maejin
