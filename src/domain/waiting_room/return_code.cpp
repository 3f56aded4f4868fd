#include "domain/waiting_room/return_code.h"

#include <array>

#include <fmt/format.h>

#include "base/crypto.h"
#include "base/numbers.h"

namespace maejin {
namespace {

// The payload of a place token begins with another byte, so that no token is accepted as a return code, or
// the reverse.
constexpr std::string_view kReturnKind = "return";
constexpr std::size_t kReturnFields = 9;
constexpr std::size_t kLongestCode = 1024;

std::optional<std::array<std::string_view, kReturnFields>> SplitFields(std::string_view text) {
  std::array<std::string_view, kReturnFields> fields;
  for (auto& field : fields) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) return {};
    field = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  if (!text.empty()) return {};
  return fields;
}

}  // namespace

std::string WriteReturnCode(const KeyRing& keys, const ReturnCode& code) {
  const auto key = keys.CurrentMac();
  const auto payload = fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n", kReturnKind, key->short_number(),
                                   code.id.ToString(), code.room, code.user, code.number, code.epoch,
                                   code.origin, ToMillis(code.expires_at));
  return EncodeBase64Url(payload) + "." + EncodeBase64Url(AsText(key->hmac.Mac(payload)));
}

std::optional<ReturnCode> ReadReturnCode(const KeyRing& keys, std::string_view text, Time now) {
  const auto dot = text.find('.');
  if (dot == std::string_view::npos || text.size() > kLongestCode) return {};
  const auto payload = DecodeBase64Url(text.substr(0, dot));
  const auto mac = DecodeBase64Url(text.substr(dot + 1));
  if (!payload || !mac || mac->size() != Digest{}.size()) return {};
  const auto fields = SplitFields(*payload);
  if (!fields || (*fields)[0] != kReturnKind) return {};
  const auto number = ParseInt<std::uint8_t>((*fields)[1]);
  const auto key = number ? keys.FindMac(*number) : nullptr;
  if (!key || !key->hmac.Verify(*payload, *mac)) return {};
  const auto id = Id128::Parse((*fields)[2]);
  const auto place = ParseInt<PlaceNumber>((*fields)[5]);
  const auto epoch = ParseInt<std::uint32_t>((*fields)[6]);
  const auto expires = ParseInt<std::int64_t>((*fields)[8]);
  if (!id || !place || !epoch || !expires || ToMillis(now) >= *expires) return {};
  return ReturnCode{*id,    RoomId((*fields)[3]),      UserId((*fields)[4]),    *place,
                    *epoch, std::string((*fields)[7]), TimeFromMillis(*expires)};
}

}  // namespace maejin
