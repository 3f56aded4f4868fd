#include "domain/booking/ticket.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/numbers.h"
#include "domain/booking/reservation_code.h"

namespace maejin {
namespace {

constexpr std::size_t kParts = 7;
constexpr std::size_t kKeyLength = 8;
constexpr std::size_t kSignatureBytes = 64;

// The parts between dots; absent unless there are exactly seven.
std::optional<std::array<std::string_view, kParts>> Split(std::string_view text) {
  std::array<std::string_view, kParts> parts;
  for (std::size_t i = 0; i < kParts; ++i) {
    const auto dot = text.find('.');
    if ((dot == std::string_view::npos) != (i + 1 == kParts)) return {};
    parts[i] = text.substr(0, dot);
    if (dot != std::string_view::npos) text.remove_prefix(dot + 1);
  }
  return parts;
}

std::string SignedText(const Ticket& ticket, std::string_view key_id) {
  auto code = CodeOf(ticket.reservation);
  code.erase(std::remove(code.begin(), code.end(), '-'), code.end());
  return fmt::format("{}{}.{}.{}.{}.{}", kTicketPrefix, code, ticket.schedule, ticket.seat,
                     FormatDate(ticket.date), key_id.substr(0, kKeyLength));
}

}  // namespace

std::string WriteTicket(const KeyRing& keys, const Ticket& ticket) {
  const auto all = keys.keys();
  const auto text = SignedText(ticket, all->signer_ids.front());
  return text + "." + EncodeBase64Url(all->signers.front().Sign(text));
}

std::optional<UncheckedTicket> ParseTicket(std::string_view text) {
  if (!text.starts_with(kTicketPrefix) || text.size() > 256) return {};
  const auto parts = Split(text);
  if (!parts) return {};
  const auto& [version, code, schedule_text, seat_text, day, key, signature_text] = *parts;
  const auto number = NumberOfCode(code);
  const auto schedule = ParseInt<ScheduleId>(schedule_text, 1, INT64_MAX);
  const auto seat = ParseInt<SeatNumber>(seat_text, 1, INT32_MAX);
  const auto date = ParseDate(day);
  auto signature = DecodeBase64Url(signature_text);
  if (!number || !schedule || !seat || !date || key.size() != kKeyLength) return {};
  if (!signature || signature->size() != kSignatureBytes) return {};
  UncheckedTicket read{{*number, *schedule, *seat, *date},
                       std::string(key),
                       std::string(text.substr(0, text.rfind('.'))),
                       std::move(*signature)};
  // Each ticket has only one valid text: another form, such as a code with a hyphen or a number with leading
  // zeros, is refused.
  if (SignedText(read.ticket, key) != read.signed_text) return {};
  return read;
}

std::optional<Ticket> ReadTicket(const KeyRing& keys, std::string_view text) {
  const auto read = ParseTicket(text);
  if (!read) return {};
  const auto all = keys.keys();
  for (std::size_t i = 0; i < all->signers.size(); ++i) {
    if (read->SignedBy(all->signer_ids[i], all->signers[i].PublicKey())) return read->ticket;
  }
  return {};
}

}  // namespace maejin
