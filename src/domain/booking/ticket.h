// A ticket: one seat of a paid booking. The QR code contains its text. The text is signed with ES256, so that
// a scanner without a network connection verifies it with the keys of /.well-known/jwks.json:
//
//   MJ1.<code>.<schedule>.<seat>.<date>.<key>.<signature>
//
// `code` is the reservation's code without its hyphen, and `key` is the start of the id of the signing key.
// The signature is base64url of r || s over everything before the last dot. Only the server knows whether a
// booking was cancelled.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/key_ring.h"
#include "base/time.h"
#include "domain/words.h"

namespace maejin {

struct Ticket {
  std::int64_t reservation = 0;  // row number
  ScheduleId schedule = 0;
  SeatNumber seat = 0;
  Date date{};

  bool operator==(const Ticket&) const = default;
};

// A ticket as read, its signature not checked yet.
struct UncheckedTicket {
  Ticket ticket;
  std::string key;  // the start of a key id
  std::string signed_text;
  std::string signature;

  bool SignedBy(std::string_view key_id, const VerifyKey& open) const {
    return key_id.starts_with(key) && open.Verify(signed_text, signature);
  }
};

inline constexpr std::string_view kTicketPrefix = "MJ1.";

std::string WriteTicket(const KeyRing& keys, const Ticket& ticket);
// Absent: not the text of a ticket.
std::optional<UncheckedTicket> ParseTicket(std::string_view text);
// Absent also if no key of the ring signed it.
std::optional<Ticket> ReadTicket(const KeyRing& keys, std::string_view text);

}  // namespace maejin
