#include "cli/mail/letter.h"

#include <algorithm>
#include <array>

#include <date/date.h>
#include <fmt/format.h>

#include "base/ascii.h"
#include "base/crypto.h"
#include "base/utf8.h"
#include "embedded/mail_cancelled_en.h"
#include "embedded/mail_cancelled_ko.h"
#include "embedded/mail_confirmed_en.h"
#include "embedded/mail_confirmed_ko.h"
#include "embedded/mail_refunded_en.h"
#include "embedded/mail_refunded_ko.h"

namespace maejin::cli {
namespace {

struct Template {
  std::string_view kind;
  std::string_view language;
  std::string_view text;
};
constexpr auto kTemplates = std::to_array<Template>({
    {"cancelled", "en", embedded::mail_cancelled_en},
    {"cancelled", "ko", embedded::mail_cancelled_ko},
    {"confirmed", "en", embedded::mail_confirmed_en},
    {"confirmed", "ko", embedded::mail_confirmed_ko},
    {"refunded", "en", embedded::mail_refunded_en},
    {"refunded", "ko", embedded::mail_refunded_ko},
});

// An encoded word has at most 75 characters (RFC 2047): 45 bytes become 60 characters.
constexpr std::size_t kWordBytes = 45;
constexpr std::size_t kLineCharacters = 76;

// Writes the text of a header as encoded words, cut between characters.
std::string EncodeHeader(std::string text) {
  std::replace_if(text.begin(), text.end(), IsControl, ' ');
  std::string out;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::size_t length = 0;
    while (length < rest.size()) {
      const auto next = std::max<std::size_t>(1, Utf8SequenceLength(rest.substr(length)));
      if (length + next > kWordBytes) break;
      length += next;
    }
    out += fmt::format("{}=?UTF-8?B?{}?=", out.empty() ? "" : "\r\n ", EncodeBase64(rest.substr(0, length)));
    rest.remove_prefix(length);
  }
  return out;
}

std::string EncodeBody(std::string_view text) {
  std::string lines;
  for (const auto c : text) {
    if (c == '\n') lines += '\r';
    if (c != '\r') lines += c;
  }
  const auto encoded = EncodeBase64(lines);
  std::string out;
  for (std::size_t at = 0; at < encoded.size(); at += kLineCharacters)
    out.append(encoded, at, kLineCharacters).append("\r\n");
  return out;
}

}  // namespace

std::optional<std::string_view> FindTemplate(std::string_view kind, std::string_view language) {
  for (const auto& each : kTemplates)
    if (each.kind == kind && each.language == language) return each.text;
  return {};
}

std::string FillTemplate(std::string_view text, const LetterFields& fields) {
  std::string out;
  while (!text.empty()) {
    const auto open = std::min(text.find('{'), text.size());
    out.append(text.substr(0, open));
    text.remove_prefix(open);
    const auto close = text.find('}');
    if (close == std::string_view::npos) break;
    const auto found = fields.find(text.substr(1, close - 1));
    out.append(found == fields.end() ? text.substr(0, close + 1) : std::string_view(found->second));
    text.remove_prefix(close + 1);
  }
  return out.append(text);
}

std::string MakeMessage(const LetterHeaders& headers, std::string_view filled) {
  const auto end = std::min(filled.find('\n'), filled.size());
  const auto subject = filled.substr(0, end);
  filled.remove_prefix(end);
  while (filled.starts_with('\n') || filled.starts_with('\r')) filled.remove_prefix(1);
  const auto name = headers.sender_name.empty() ? "" : EncodeHeader(headers.sender_name) + " ";
  std::string out = "From: " + name + "<" + headers.from + ">\r\n";
  out += "To: <" + headers.to + ">\r\n";
  out += "Subject: " + EncodeHeader(std::string(subject)) + "\r\n";
  out += "Message-ID: <" + headers.message_id + ">\r\n";
  out += "Date: " + date::format("%a, %d %b %Y %H:%M:%S +0000", std::chrono::floor<Seconds>(headers.date)) +
         "\r\n";
  out += "Auto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n";
  out += "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n";
  return out + EncodeBody(filled);
}

}  // namespace maejin::cli
