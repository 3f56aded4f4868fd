#include "server/tls_certificate.h"

#include <ctime>

#include <fmt/format.h>
#include <openssl/ssl.h>
#include <boost/asio/ssl/context.hpp>

namespace maejin::http {
namespace {

// The ciphers of TLS 1.2 that have forward secrecy. Those of TLS 1.3 all have it.
constexpr char kCiphers[] = "ECDHE+AESGCM:ECDHE+CHACHA20";

// Chooses HTTP/1.1 if the client offers it.
int ChooseProtocol(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* in,
                   unsigned in_size, void*) {
  static constexpr unsigned char kHttp11[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size, kHttp11, sizeof kHttp11, in, in_size) !=
      OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_NOACK;
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

Time EndOf(SSL_CTX* context) {
  const X509* certificate = SSL_CTX_get0_certificate(context);
  std::tm parts{};
  if (!certificate || ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &parts) != 1) return {};
  return TimeFromMillis(static_cast<std::int64_t>(timegm(&parts)) * 1000);
}

}  // namespace

void FreeTls::operator()(ssl_st* tls) const { SSL_free(tls); }

Result<Done, std::string> TlsCertificate::Load(const TlsFiles& files) {
  using Context = boost::asio::ssl::context;
  auto fresh = std::make_shared<Context>(Context::tls_server);
  SSL_CTX* const native = fresh->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // An idle connection keeps no record buffers. SSL_write_ex() takes one record per call, and a retry may
  // pass the same bytes in another buffer.
  SSL_CTX_set_mode(
      native, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // OpenSSL then reads the header of a record together with its body.
  SSL_CTX_set_read_ahead(native, 1);
  SSL_CTX_set_cipher_list(native, kCiphers);
  SSL_CTX_set_alpn_select_cb(native, ChooseProtocol, nullptr);
  if (tickets_) http::UseTickets(native, tickets_);
  boost::system::error_code error;
  fresh->use_certificate_chain_file(files.cert_file, error);
  if (error) return fmt::format("tls.cert-file: cannot use {}: {}", files.cert_file, error.message());
  fresh->use_private_key_file(files.key_file, Context::pem, error);
  if (error || SSL_CTX_check_private_key(native) != 1) {
    return fmt::format("tls.key-file: {} cannot be read, or is not the key of {}", files.key_file,
                       files.cert_file);
  }
  const std::lock_guard lock(mutex_);
  expires_at_ = EndOf(native);
  context_ = std::move(fresh);
  return Done{};
}

TlsSession TlsCertificate::NewSession() const {
  std::shared_ptr<boost::asio::ssl::context> context;
  {
    const std::lock_guard lock(mutex_);
    context = context_;
  }
  return TlsSession(context ? SSL_new(context->native_handle()) : nullptr);
}

Time TlsCertificate::expires_at() const {
  const std::lock_guard lock(mutex_);
  return expires_at_;
}

}  // namespace maejin::http
