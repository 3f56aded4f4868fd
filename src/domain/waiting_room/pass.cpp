#include "domain/waiting_room/pass.h"

#include <fmt/format.h>
#include <boost/json/parse.hpp>

#include "base/json_text.h"

namespace maejin {
namespace {

std::string Audience(std::string_view room) { return fmt::format("room:{}", room); }

std::string ClaimsOf(const Pass& pass) {
  return JsonObjectText([&](JsonWriter& json) {
    json.Field("iss", "maejin");
    json.Field("aud", Audience(pass.room));
    json.Field("sub", pass.user);
    json.Field("iat", ToMillis(pass.entered_at) / 1000);
    json.Field("exp", ToMillis(pass.expires_at) / 1000);
    json.Field("jti", PassId(pass.room, pass.number, pass.entered_at));
    json.Field("room", pass.room);
    json.Field("epoch", pass.epoch);
    json.Field("number", pass.number);
  });
}

std::optional<boost::json::object> DecodeObject(std::string_view part) {
  const auto bytes = DecodeBase64Url(part);
  if (!bytes) return {};
  boost::json::parse_options options;
  options.max_depth = 4;
  boost::json::error_code error;
  auto value = boost::json::parse(*bytes, error, {}, options);
  if (error || !value.is_object()) return {};
  return std::move(value.as_object());
}

std::optional<std::string_view> Text(const boost::json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  if (!value || !value->is_string()) return {};
  return std::string_view(value->as_string());
}

std::optional<std::int64_t> Number(const boost::json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  if (!value || !value->is_int64() || value->as_int64() < 0) return {};
  return value->as_int64();
}

std::optional<Pass> PassOf(const boost::json::object& claims) {
  const auto room = Text(claims, "room");
  const auto user = Text(claims, "sub");
  const auto epoch = Number(claims, "epoch");
  const auto number = Number(claims, "number");
  const auto issued = Number(claims, "iat");
  const auto expires = Number(claims, "exp");
  if (!room || !user || !epoch || !number || !issued || !expires || Text(claims, "aud") != Audience(*room))
    return {};
  if (*epoch > UINT32_MAX || *number > UINT32_MAX) return {};
  return Pass{RoomId(*room),
              UserId(*user),
              static_cast<std::uint32_t>(*epoch),
              static_cast<PlaceNumber>(*number),
              TimeFromMillis(*issued * 1000),
              TimeFromMillis(*expires * 1000)};
}

}  // namespace

std::string PassId(std::string_view room, PlaceNumber number, Time entered_at) {
  const auto text = fmt::format("pass\n{}\n{}\n{}", room, number, ToMillis(entered_at));
  return EncodeBase64Url(AsText(Sha256(text)).substr(0, 16));
}

std::string WritePass(const KeyRing& keys, const Pass& pass) {
  const auto all = keys.keys();
  const auto head = fmt::format(R"({{"alg":"ES256","typ":"JWT","kid":"{}"}})", all->signer_ids.front());
  auto text = EncodeBase64Url(head) + "." + EncodeBase64Url(ClaimsOf(pass));
  const auto signature = all->signers.front().Sign(text);
  return text + "." + EncodeBase64Url(signature);
}

Result<Pass, PassFault> ReadPass(const KeyRing& keys, std::string_view text, Time now) {
  const auto first = text.find('.');
  const auto second = first == std::string_view::npos ? first : text.find('.', first + 1);
  if (second == std::string_view::npos || text.size() > 2048) return PassFault::kInvalid;
  const auto head = DecodeObject(text.substr(0, first));
  const auto signature = DecodeBase64Url(text.substr(second + 1));
  if (!head || !signature || Text(*head, "alg") != "ES256") return PassFault::kInvalid;
  const auto key = keys.FindSigner(Text(*head, "kid").value_or(""));
  if (!key || !key->PublicKey().Verify(text.substr(0, second), *signature)) return PassFault::kInvalid;
  const auto claims = DecodeObject(text.substr(first + 1, second - first - 1));
  if (!claims) return PassFault::kInvalid;
  auto pass = PassOf(*claims);
  if (!pass) return PassFault::kInvalid;
  if (now >= pass->expires_at) return PassFault::kExpired;
  return std::move(*pass);
}

}  // namespace maejin
