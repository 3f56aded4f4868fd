#include "http/admin/console_session.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "base/big_endian.h"
#include "http/cookies.h"
#include "http/site_address.h"

namespace maejin::http {
namespace {

// Browsers accept a cookie with the prefix __Host- only from an https page, with Secure, and for one host.
// The second name is for a server without https.
constexpr std::string_view kSecureSessionCookie = "__Host-maejin_console";
constexpr std::string_view kPlainSessionCookie = "maejin_console";
constexpr std::string_view kMaskLabel = "maejin console session mask";
constexpr std::string_view kSealLabel = "maejin console session seal";
constexpr char kSessionVersion = 1;
constexpr std::size_t kSessionIdSize = 16;
constexpr std::size_t kSessionTimeSize = 8;
constexpr std::size_t kSessionMacSize = 32;
// version, key number, id, expiry, hidden digest
constexpr std::size_t kSessionBodySize = 2 + kSessionIdSize + kSessionTimeSize + 32;
constexpr std::size_t kMostEnded = 10'000;

std::string Labelled(std::string_view label, std::string_view bytes) {
  return std::string(label).append(1, '\0').append(bytes);
}

// Each id is used once, so the mask is a one-time pad.
Digest MaskOf(const MacKey& key, std::string_view id) { return key.hmac.Mac(Labelled(kMaskLabel, id)); }

Digest Masked(const Digest& digest, const Digest& mask) {
  Digest out;
  std::transform(digest.begin(), digest.end(), mask.begin(), out.begin(),
                 [](std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>(a ^ b); });
  return out;
}

// `content` empty: the browser removes the cookie.
void SetSessionCookie(Response& response, bool secure, std::string_view content, Seconds max_age) {
  response.AddHeader("Set-Cookie", fmt::format("{}={}; Path=/; Max-Age={}; HttpOnly; SameSite=Strict{}",
                                               secure ? kSecureSessionCookie : kPlainSessionCookie, content,
                                               max_age.count(), secure ? "; Secure" : ""));
}

Refused ForeignPage() { return {Refusal::kForbidden, "Origin: must be a page of this server"}; }

}  // namespace

std::string ConsoleSessions::Seal(const Content& content) const {
  const auto key = parts_.keys.CurrentMac();
  std::string body{kSessionVersion, static_cast<char>(key->short_number())};
  body += content.id;
  body += BigEndianNumber(static_cast<std::uint64_t>(ToMillis(content.expires_at)), kSessionTimeSize);
  body += AsText(Masked(content.key, MaskOf(*key, content.id)));
  const auto mac = key->hmac.Mac(Labelled(kSealLabel, body));
  body += AsText(mac);
  return EncodeBase64Url(body);
}

std::optional<ConsoleSessions::Content> ConsoleSessions::Unseal(std::string_view text) const {
  const auto bytes = DecodeBase64Url(text);
  if (!bytes || bytes->size() != kSessionBodySize + kSessionMacSize || bytes->front() != kSessionVersion)
    return {};
  const auto key = parts_.keys.FindMac(static_cast<std::uint8_t>((*bytes)[1]));
  const auto body = std::string_view(*bytes).substr(0, kSessionBodySize);
  const auto mac = std::string_view(*bytes).substr(kSessionBodySize);
  if (!key || !key->hmac.Verify(Labelled(kSealLabel, body), mac)) return {};
  Content content;
  content.id = body.substr(2, kSessionIdSize);
  const auto millis = NumberOfBigEndian(body.substr(2 + kSessionIdSize, kSessionTimeSize));
  content.expires_at = TimeFromMillis(static_cast<std::int64_t>(millis));
  const auto hidden = body.substr(2 + kSessionIdSize + kSessionTimeSize);
  Digest masked;
  std::copy(hidden.begin(), hidden.end(), masked.begin());
  content.key = Masked(masked, MaskOf(*key, content.id));
  return content;
}

bool ConsoleSessions::IsSecure(const Request& request) const {
  return PublicOrigin(request, parts_.public_url).starts_with("https:");
}

std::string_view ConsoleSessions::CookieIn(const Request& request) const {
  return FindCookie(request.Header("Cookie"), IsSecure(request) ? kSecureSessionCookie : kPlainSessionCookie);
}

bool ConsoleSessions::IsOwnPage(const Request& request) const {
  return http::IsOwnPage(request, parts_.public_url);
}

Outcome<ConsoleSessions::Session> ConsoleSessions::Begin(const Request& request, std::string_view key,
                                                         Response& response) {
  if (!request.Header("Origin").empty() && !IsOwnPage(request)) return ForeignPage();
  const auto digest = Sha256(key);
  auto identity = key.empty() ? std::nullopt : parts_.find(digest);
  if (!identity) return Refusal::kUnauthorized;
  SystemRandom random;
  Content content{std::string(kSessionIdSize, '\0'), parts_.clock.Now() + kLifetime, digest};
  random.Fill(std::as_writable_bytes(std::span(content.id)));
  SetSessionCookie(response, IsSecure(request), Seal(content), kLifetime);
  return Session{std::move(*identity), content.expires_at};
}

void ConsoleSessions::End(const Request& request, Response& response) {
  SetSessionCookie(response, IsSecure(request), "", Seconds{0});
  const auto content = Unseal(CookieIn(request));
  if (!content) return;
  const auto now = parts_.clock.Now();
  const std::lock_guard lock(mutex_);
  std::erase_if(ended_, [now](const auto& entry) { return entry.second <= now; });
  if (ended_.size() < kMostEnded) ended_.emplace(content->id, content->expires_at);
}

std::optional<Outcome<ConsoleSessions::Session>> ConsoleSessions::Find(const Request& request) const {
  const auto text = CookieIn(request);
  if (text.empty()) return {};
  if (!IsOwnPage(request)) return ForeignPage();
  const auto content = Unseal(text);
  if (!content || content->expires_at <= parts_.clock.Now()) return Outcome<Session>(Refusal::kUnauthorized);
  {
    const std::lock_guard lock(mutex_);
    if (ended_.contains(content->id)) return Outcome<Session>(Refusal::kUnauthorized);
  }
  auto identity = parts_.find(content->key);
  if (!identity) return Outcome<Session>(Refusal::kUnauthorized);
  return Session{std::move(*identity), content->expires_at};
}

}  // namespace maejin::http
