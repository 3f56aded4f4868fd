#include "adapters/mail/mail_client.h"

#include <algorithm>
#include <fstream>
#include <new>

#include <curl/curl.h>
#include <fmt/format.h>
#include <boost/json/parse.hpp>

namespace maejin::mail {
namespace {

constexpr long kTimeoutMs = 20'000;
constexpr std::size_t kMaxAnswer = 64 << 10;

std::size_t KeepAnswer(const char* bytes, std::size_t size, std::size_t count, void* self) {
  auto& answer = *static_cast<std::string*>(self);
  answer.append(bytes, size * count);
  return answer.size() > kMaxAnswer ? 0 : size * count;
}

// Keeps the last text line in which the SMTP server refuses (4xx, 5xx). Others may follow, such as the answer
// to libcurl's QUIT.
std::size_t KeepRefusal(const char* bytes, std::size_t size, std::size_t count, void* self) {
  auto& line = *static_cast<std::string*>(self);
  const auto length = size * count;
  if (length > 0 && (bytes[0] == '4' || bytes[0] == '5')) {
    line.assign(bytes, std::min(length, kMaxAnswer));
    while (!line.empty() && line.back() <= ' ') line.pop_back();
  }
  return length;
}

struct Upload {
  std::string_view rest;
};
std::size_t NextBytes(char* out, std::size_t size, std::size_t count, void* self) {
  auto& upload = *static_cast<Upload*>(self);
  const auto length = std::min(size * count, upload.rest.size());
  std::copy_n(upload.rest.begin(), length, out);
  upload.rest.remove_prefix(length);
  return length;
}

// The host of a URL, with the port.
std::string HostIn(const std::string& url) {
  const auto scheme = url.find("://");
  auto host = scheme == std::string::npos ? url : url.substr(scheme + 3);
  host = host.substr(0, host.find('/'));
  const auto at = host.rfind('@');
  return at == std::string::npos ? host : host.substr(at + 1);
}

bool IsLoopback(const std::string& url) {
  const auto host = HostIn(url);
  const auto name =
      host.starts_with('[') ? host.substr(0, host.find(']') + 1) : host.substr(0, host.find(':'));
  const bool digits = name.find_first_not_of("0123456789.") == std::string::npos;
  return name == "localhost" || name == "[::1]" || (digits && name.starts_with("127."));
}

std::optional<Recipient> ParseRecipient(const std::string& body) {
  boost::system::error_code error;
  const auto value = boost::json::parse(body, error);
  const auto* object = error ? nullptr : value.if_object();
  const auto* address = object ? object->if_contains("address") : nullptr;
  if (!address || !address->is_string()) return {};
  Recipient recipient{std::string(address->as_string()), {}};
  const auto* language = object->if_contains("language");
  if (language && language->is_string()) recipient.language = std::string(language->as_string());
  return recipient;
}

}  // namespace

CurlHandle::CurlHandle(const char* protocols, const std::string& ca_file)
    : easy_(curl_easy_init(), &curl_easy_cleanup) {
  if (!easy_) throw std::bad_alloc();
  auto* easy = get();
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, protocols);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, kTimeoutMs);
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  if (!ca_file.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, ca_file.c_str());
}

bool IsMailAddress(const std::string& text) {
  const auto at = text.find('@');
  const auto plain = [](char c) {
    return c > ' ' && c < 0x7f && c != '<' && c != '>' && c != ',' && c != '"';
  };
  return text.size() <= 254 && at != std::string::npos && at > 0 && at + 1 < text.size() &&
         std::all_of(text.begin(), text.end(), plain);
}

Result<AddressBook, std::string> AddressBook::Read(const std::string& csv_file) {
  std::ifstream in(csv_file);
  if (!in) return fmt::format("cannot read {}", csv_file);
  AddressBook book;
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();
    const auto first = line.find(',');
    if (first == std::string::npos) continue;
    const auto second = std::min(line.find(',', first + 1), line.size());
    auto language = second < line.size() ? line.substr(second + 1) : "";
    book.rows_[line.substr(0, first)] = {line.substr(first + 1, second - first - 1), std::move(language)};
  }
  return book;
}

AddressBook AddressBook::AtUrl(std::string url, const std::string& ca_file) {
  AddressBook book;
  book.url_ = std::move(url);
  book.http_.emplace("http,https", ca_file);
  return book;
}

Result<std::optional<Recipient>, std::string> AddressBook::Find(const std::string& user) {
  if (!http_) {
    const auto found = rows_.find(user);
    if (found == rows_.end()) return std::optional<Recipient>();
    return std::optional(found->second);
  }
  auto* easy = http_->get();
  const std::unique_ptr<char, decltype(&curl_free)> escaped(
      curl_easy_escape(easy, user.data(), static_cast<int>(user.size())), &curl_free);
  if (!escaped) throw std::bad_alloc();
  const auto url =
      fmt::format("{}{}userId={}", url_, url_.find('?') == std::string::npos ? "?" : "&", escaped.get());
  std::string body;
  curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &KeepAnswer);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &body);
  const auto result = curl_easy_perform(easy);
  if (result != CURLE_OK) return fmt::format("the address lookup fails: {}", curl_easy_strerror(result));
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  if (status == 404) return std::optional<Recipient>();
  if (status != 200) return fmt::format("the address lookup answers {}", status);
  auto recipient = ParseRecipient(body);
  if (!recipient) return std::string("the address lookup answers without an address");
  return recipient;
}

bool RefusesRecipient(const std::string& answer) {
  const auto code = answer.substr(0, 3);
  const auto more = answer.size() > 4 ? answer.substr(4) : "";
  if (!code.starts_with('5')) return false;
  if (more.starts_with("5.1.") || more.starts_with("5.2.")) return true;
  const bool extended = more.size() > 2 && more[0] == '5' && more[1] == '.';
  return !extended && (code == "550" || code == "551" || code == "552" || code == "553");
}

Mailer::Mailer(std::string url, const std::string& ca_file)
    : smtp_("smtp,smtps", ca_file), url_(std::move(url)) {
  curl_easy_setopt(smtp_.get(), CURLOPT_URL, url_.c_str());
  curl_easy_setopt(smtp_.get(), CURLOPT_USE_SSL,
                   static_cast<long>(IsLoopback(url_) ? CURLUSESSL_NONE : CURLUSESSL_ALL));
}

MailResult Mailer::Send(const std::string& from, const std::string& to, const std::string& message) {
  auto* easy = smtp_.get();
  const auto sender = "<" + from + ">";
  const auto receiver = "<" + to + ">";
  const std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> receivers(
      curl_slist_append(nullptr, receiver.c_str()), &curl_slist_free_all);
  if (!receivers) throw std::bad_alloc();
  Upload upload{message};
  std::string line;
  curl_easy_setopt(easy, CURLOPT_MAIL_FROM, sender.c_str());
  curl_easy_setopt(easy, CURLOPT_MAIL_RCPT, receivers.get());
  curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
  curl_easy_setopt(easy, CURLOPT_READFUNCTION, &NextBytes);
  curl_easy_setopt(easy, CURLOPT_READDATA, &upload);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &KeepRefusal);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &line);
  const auto result = curl_easy_perform(easy);
  curl_easy_setopt(easy, CURLOPT_MAIL_RCPT, nullptr);
  if (result == CURLE_OK) return MailResult::kAccepted;
  // Only the code of the SMTP answer: its text may contain the recipient's address.
  error_ = fmt::format("{}, code {}", curl_easy_strerror(result), line.substr(0, 3));
  return RefusesRecipient(line) ? MailResult::kRecipientRefused : MailResult::kFailed;
}

}  // namespace maejin::mail
