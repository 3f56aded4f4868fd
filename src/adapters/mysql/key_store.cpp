#include "adapters/mysql/key_store.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

namespace maejin::mysql {
namespace {

std::string NewMac(Random& random) {
  std::array<char, 32> bytes{};
  random.Fill(std::as_writable_bytes(std::span{bytes}));
  return EncodeBase64Url({bytes.data(), bytes.size()});
}

struct Numbers {
  std::int64_t newest = 0;
  std::int64_t signing = 0;

  friend bool operator==(const Numbers&, const Numbers&) = default;
};

Numbers NumbersIn(Connection& connection) {
  auto row = connection.Query(
      "SELECT COALESCE(MAX(number), 0), COALESCE(MAX(IF(signs_at <= UTC_TIMESTAMP(3), number, 0)), 0) "
      "FROM signing_keys");
  row.Next();
  return {row.Int(0), row.Int(1)};
}

Numbers NumbersIn(const KeyRing& ring) {
  const auto all = ring.keys();
  Numbers numbers{0, all->macs.front().number};
  for (const auto& mac : all->macs) numbers.newest = std::max<std::int64_t>(numbers.newest, mac.number);
  return numbers;
}

// The first node that inserts a number wins: a second key of the same number is not kept.
void AddKeys(Connection& connection, Random& random, std::int64_t number, Seconds spread) {
  connection.Execute(
      "INSERT IGNORE INTO signing_keys (number, mac, pass, created_at, signs_at) "
      "VALUES (?, ?, ?, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) + INTERVAL ? SECOND)",
      number, NewMac(random), SigningKey::Generate().ToPem(), spread.count());
}

// Keys that may sign already come first, the newest at the front.
std::unique_ptr<const KeyRing::Keys> ReadKeys(Connection& connection) {
  auto keys = std::make_unique<KeyRing::Keys>();
  auto rows = connection.Query(
      "SELECT number, mac, pass FROM (SELECT * FROM signing_keys ORDER BY number DESC LIMIT ?) newest "
      "ORDER BY signs_at <= UTC_TIMESTAMP(3) DESC, number DESC",
      kKeysKept);
  while (rows.Next()) {
    const auto number = static_cast<std::uint32_t>(rows.Int(0));
    const auto mac = DecodeBase64Url(rows.Text(1));
    auto signer = SigningKey::FromPem(rows.Text(2));
    if (!mac || mac->size() < 32 || !signer)
      throw MysqlError(kDamaged, fmt::format("signing key {} is no key", number));
    keys->macs.push_back({number, HmacSha256(*mac)});
    keys->signer_ids.push_back(signer->KeyId());
    keys->signers.push_back(std::move(*signer));
  }
  return keys;
}

}  // namespace

std::unique_ptr<KeyRing> OpenKeys(Connection& connection, Random& random) {
  if (NumbersIn(connection).newest == 0) AddKeys(connection, random, 1, Seconds{0});
  return std::make_unique<KeyRing>(ReadKeys(connection));
}

void AddNewestKeys(Connection& connection, Random& random, Seconds spread) {
  AddKeys(connection, random, NumbersIn(connection).newest + 1, spread);
}

bool RefreshKeys(Connection& connection, KeyRing& ring) {
  if (NumbersIn(connection) == NumbersIn(ring)) return false;
  ring.Install(ReadKeys(connection));
  return true;
}

}  // namespace maejin::mysql
