// Sends mails by SMTP, and asks the shop for addresses, with libcurl. Calls block. Not thread-safe.
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

// A libcurl handle: makes one call after the other, over one connection where possible.
class CurlHandle {
 public:
  // `protocols`: as libcurl names them. `ca_file`: empty for the authorities that the system trusts.
  CurlHandle(const char* protocols, const std::string& ca_file);

  void* get() const { return easy_.get(); }

 private:
  std::unique_ptr<void, void (*)(void*)> easy_;
};

// Finds the address of a user: in a file, or with the shop's lookup URL. maejin stores no address.
class AddressBook {
 public:
  // One row per user: user id, address, and optionally a language, separated by commas. The error is a
  // sentence.
  static Result<AddressBook, std::string> Read(const std::string& csv_file);
  // GET url?userId=…; 200 {"address": "…", "language"?: "…"}, or 404 if the user has no address.
  static AddressBook AtUrl(std::string url, const std::string& ca_file);

  // Absent: the user has no address. The error is a sentence: try again later.
  Result<std::optional<Recipient>, std::string> Find(const std::string& user);

 private:
  std::string url_;
  std::map<std::string, Recipient> rows_;
  std::optional<CurlHandle> http_;
};

// True: the text is an address that is safe in a mail header and in an SMTP command.
bool IsMailAddress(const std::string& text);

enum class MailResult : std::uint8_t {
  kAccepted,
  kRecipientRefused,  // permanently: a retry would fail, too
  kFailed,            // try again later; the server may have accepted the mail nevertheless
};

class Mailer {
 public:
  // `url`: "smtp://user:password@host:587", "smtps://host:465". Unless the host is a loopback address, the
  // connection must be encrypted.
  Mailer(std::string url, const std::string& ca_file);

  // Sends the message to the SMTP server.
  MailResult Send(const std::string& from, const std::string& to, const std::string& message);
  // Why the last mail was not accepted. The text does not contain the recipient's address.
  const std::string& error() const { return error_; }

 private:
  CurlHandle smtp_;
  const std::string url_;
  std::string error_;
};

// Whether an SMTP answer refuses the recipient permanently: an extended code 5.1.x or 5.2.x ("550 5.1.1 …"),
// or 550 to 553 without an extended code. A refusal of the sender or of the connection does not count.
bool RefusesRecipient(const std::string& answer);

}  // namespace maejin::mail
