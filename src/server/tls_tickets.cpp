#include "server/tls_tickets.h"

#include <array>
#include <cstring>
#include <memory>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>

namespace maejin::http {
namespace {

constexpr std::string_view kTicketLabel = "maejin tls ticket ";
constexpr std::size_t kNameSize = 16;

// The keys derived from one secret. They are independent of each other, because each has its own label.
struct TicketKeys {
  explicit TicketKeys(const Digest& secret) : hmac(AsText(secret)) {
    name = hmac.Mac("name");
    cipher = hmac.Mac("cipher");
    mac = hmac.Mac("mac");
  }
  HmacSha256 hmac;
  Digest name;  // its first kNameSize bytes are in the ticket
  Digest cipher;
  Digest mac;
};

void FreeSecrets(void*, void* secrets, CRYPTO_EX_DATA*, int, long, void*) {
  delete static_cast<TicketSecrets*>(secrets);
}

int SecretsIndex() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, FreeSecrets);
  return index;
}

bool Prepare(const TicketKeys& keys, unsigned char* iv, EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac, bool seal) {
  auto mac_key = keys.mac;
  char digest[] = "SHA256";
  const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, mac_key.data(), mac_key.size()),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0), OSSL_PARAM_construct_end()};
  const bool prepared = EVP_MAC_CTX_set_params(mac, parameters) == 1;
  const auto* algorithm = EVP_aes_256_cbc();
  const auto* key = keys.cipher.data();
  return prepared && (seal ? EVP_EncryptInit_ex(cipher, algorithm, nullptr, key, iv)
                           : EVP_DecryptInit_ex(cipher, algorithm, nullptr, key, iv)) == 1;
}

// Called by OpenSSL to seal or open a ticket. Returns 1 on success, negative on an error. An opened ticket
// with older keys is 2: the client gets a new ticket. A ticket with unknown keys is 0: a full handshake
// follows.
int OnTicket(SSL* connection, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher,
             EVP_MAC_CTX* mac, int seal) {
  const auto* secrets =
      static_cast<const TicketSecrets*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), SecretsIndex()));
  const auto all = (*secrets)();
  if (seal == 1) {
    const TicketKeys keys(all.front());
    std::memcpy(name, keys.name.data(), kNameSize);
    if (RAND_bytes(iv, EVP_CIPHER_get_iv_length(EVP_aes_256_cbc())) != 1) return -1;
    return Prepare(keys, iv, cipher, mac, true) ? 1 : -1;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const TicketKeys keys(all[i]);
    if (std::memcmp(name, keys.name.data(), kNameSize) != 0) continue;
    if (!Prepare(keys, iv, cipher, mac, false)) return -1;
    return i == 0 ? 1 : 2;
  }
  return 0;
}

}  // namespace

std::vector<Digest> TicketSecretsAt(const KeyRing& keys, Time now) {
  std::vector<Digest> secrets;
  const auto period = std::chrono::floor<std::chrono::hours>(now).time_since_epoch() / kTicketPeriod;
  const auto all = keys.keys();
  for (const auto& mac : all->macs) {
    for (const auto each : {period, period - 1})
      secrets.push_back(mac.hmac.Mac(std::string(kTicketLabel) + std::to_string(each)));
  }
  return secrets;
}

void UseTickets(ssl_ctx_st* context, TicketSecrets secrets) {
  SSL_CTX_set_ex_data(context, SecretsIndex(), new TicketSecrets(std::move(secrets)));
  SSL_CTX_set_tlsext_ticket_key_evp_cb(context, OnTicket);
  SSL_CTX_set_timeout(context, std::chrono::seconds(kTicketPeriod).count());
  // Tickets hold the whole session: the server stores none.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

}  // namespace maejin::http
