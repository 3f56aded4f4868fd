// Sends mails by SMTP, and asks the shop for addresses, with libcurl. Blocks; one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"

namespace maejin::mail {

struct Recipient {
  std::string address;
  std::string language;  // "ko", "en" or empty
};

// Calls of one URL after the other over one connection.
class CurlHandle {
 public:
  // `protocols`: as libcurl names them. `ca_file`: empty for the authorities that the system trusts.
  CurlHandle(const char* protocols, const std::string& ca_file);

  void* get() const { return easy_.get(); }

 private:
  std::unique_ptr<void, void (*)(void*)> easy_;
};

// Finds the address of a user: in a file, or with the shop's lookup URL. maejin stores none.
class AddressBook {
 public:
  // One line a user: user id, address, and optionally a language, separated by commas. The error is a
  // sentence.
  static Result<AddressBook, std::string> Read(const std::string& csv_file);
  // GET url?userId=…; 200 {"address": "…", "language"?: "…"}, or 404 for none.
  static AddressBook AtUrl(std::string url, const std::string& ca_file);

  // Absent: the user has no address. The error is a sentence: try again later.
  Result<std::optional<Recipient>, std::string> Find(const std::string& user);

 private:
  std::string url_;
  std::map<std::string, Recipient> rows_;
  std::optional<CurlHandle> http_;
};

// An address that may stand in a header and an SMTP command.
bool IsMailAddress(const std::string& text);

enum class MailResult : std::uint8_t {
  kAccepted,
  kRecipientRefused,  // permanently: a retry would fail, too
  kFailed,            // try again later; the server may have accepted it nevertheless
};

class Mailer {
 public:
  // `url`: "smtp://user:password@host:587", "smtps://host:465". Unless the host is a loopback address, the
  // connection must be encrypted.
  Mailer(std::string url, const std::string& ca_file);

  // Sends the message to the SMTP server.
  MailResult Send(const std::string& from, const std::string& to, const std::string& message);
  // Why the last mail was not accepted; without the address.
  const std::string& error() const { return error_; }

 private:
  CurlHandle smtp_;
  const std::string url_;
  std::string error_;
};

// Whether an SMTP answer refuses the recipient permanently: "550 5.1.1 …", or a code of mailboxes without an
// extended code. A refusal of the sender or of the connection is none.
bool RefusesRecipient(const std::string& answer);

}  // namespace maejin::mail
