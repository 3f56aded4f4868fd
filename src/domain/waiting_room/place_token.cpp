#include "domain/waiting_room/place_token.h"

#include <cstring>

#include "base/crypto.h"

namespace maejin {
namespace {

constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kMacBytes = 16;
constexpr std::size_t kHead = 11;
constexpr std::size_t kMaxBytes = kHead + kMaxRoomName + kMaxUserId;

}  // namespace

void AppendPlaceToken(const KeyRing& keys, const PlaceView& place, std::string& out) {
  const auto key = keys.CurrentMac();
  char bytes[kMaxBytes];
  bytes[0] = static_cast<char>(kVersion);
  bytes[1] = static_cast<char>(key->short_number());
  std::memcpy(bytes + 2, &place.epoch, 4);
  std::memcpy(bytes + 6, &place.number, 4);
  bytes[10] = static_cast<char>(place.room.size());
  std::memcpy(bytes + kHead, place.room.data(), place.room.size());
  std::memcpy(bytes + kHead + place.room.size(), place.user.data(), place.user.size());
  const std::string_view payload(bytes, kHead + place.room.size() + place.user.size());
  const auto mac = key->hmac.Mac(payload);
  char text[(kMaxBytes * 4 + 2) / 3 + 1 + (kMacBytes * 4 + 2) / 3];
  char* end = EncodeBase64Url(payload, text);
  *end++ = '.';
  end = EncodeBase64Url(AsText(mac).substr(0, kMacBytes), end);
  out.append(text, end);
}

bool PlaceToken::Read(const KeyRing& keys, std::string_view text) {
  const auto dot = text.find('.');
  if (dot == std::string_view::npos) return false;
  const auto size = DecodeBase64Url(text.substr(0, dot), bytes_.data(), bytes_.size());
  std::uint8_t mac[kMacBytes];
  const auto mac_size = DecodeBase64Url(text.substr(dot + 1), mac, sizeof mac);
  if (!size || *size <= kHead || mac_size != kMacBytes || bytes_[0] != kVersion) return false;
  const std::string_view payload(reinterpret_cast<const char*>(bytes_.data()), *size);
  const auto key = keys.FindMac(bytes_[1]);
  if (!key || !key->hmac.Verify(payload, {reinterpret_cast<const char*>(mac), kMacBytes})) return false;
  const std::size_t room = bytes_[10];
  if (kHead + room >= *size) return false;
  std::memcpy(&place_.epoch, bytes_.data() + 2, 4);
  std::memcpy(&place_.number, bytes_.data() + 6, 4);
  place_.room = payload.substr(kHead, room);
  place_.user = payload.substr(kHead + room);
  return true;
}

}  // namespace maejin
