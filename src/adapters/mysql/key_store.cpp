#include "adapters/mysql/key_store.h"

#include <span>

#include <fmt/format.h>

namespace maejin::mysql {
namespace {

std::string NewMac(Random& random) {
  std::array<char, 32> bytes{};
  random.Fill(std::as_writable_bytes(std::span{bytes}));
  return EncodeBase64Url({bytes.data(), bytes.size()});
}

int NewestNumber(Connection& connection) {
  auto row = connection.Query("SELECT COALESCE(MAX(number), 0) FROM signing_keys");
  row.Next();
  return static_cast<int>(row.Int(0));
}

// The number decides who was first: a second key of the same number is not kept.
void AddKeys(Connection& connection, Random& random, int number) {
  if (number > UINT8_MAX)
    throw MysqlError(kDamaged, "the database holds 255 keys already: remove the oldest");
  connection.Execute(
      "INSERT IGNORE INTO signing_keys (number, mac, pass, created_at) VALUES (?, ?, ?, UTC_TIMESTAMP(3))",
      number, NewMac(random), SigningKey::Generate().ToPem());
}

std::unique_ptr<const KeyRing::Keys> ReadKeys(Connection& connection) {
  auto keys = std::make_unique<KeyRing::Keys>();
  auto rows =
      connection.Query("SELECT number, mac, pass FROM signing_keys ORDER BY number DESC LIMIT ?", kKeysKept);
  while (rows.Next()) {
    const auto number = static_cast<std::uint8_t>(rows.Int(0));
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
  if (NewestNumber(connection) == 0) AddKeys(connection, random, 1);
  return std::make_unique<KeyRing>(ReadKeys(connection));
}

void RotateKeys(Connection& connection, Random& random, KeyRing& ring) {
  AddKeys(connection, random, NewestNumber(connection) + 1);
  ring.Install(ReadKeys(connection));
}

bool RefreshKeys(Connection& connection, KeyRing& ring) {
  if (NewestNumber(connection) == ring.CurrentMac().number) return false;
  ring.Install(ReadKeys(connection));
  return true;
}

}  // namespace maejin::mysql
