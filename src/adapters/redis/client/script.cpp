#include "adapters/redis/client/script.h"

#include <openssl/evp.h>

namespace maejin::redis {
namespace {

std::string Sha1Hex(std::string_view text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), digest, &size, EVP_sha1(), nullptr);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) {
    hex += kDigits[digest[i] >> 4];
    hex += kDigits[digest[i] & 15];
  }
  return hex;
}

}  // namespace

Script::Script(std::string text) : text_(std::move(text)), sha_(Sha1Hex(text_)) {}

Command ScriptArguments::Named(std::string_view verb, std::string_view script) const {
  Command command{verb, script};
  command.Word(keys_);
  command.Append(words_);
  return command;
}

}  // namespace maejin::redis
