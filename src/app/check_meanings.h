// What the checks of `maejin doctor` mean. Made from the table in deploy/watching.py.
#pragma once

#include <string_view>

namespace maejin::app {

// clang-format off
struct CheckMeaning {
  std::string_view name;
  std::string_view meaning;
};
inline constexpr CheckMeaning kCheckMeanings[] = {
    {"configuration",
     "The settings do not conflict. maejin config check says what is wrong."},
    {"data",
     "The data folder is writable, or in use by a running server."},
    {"disk",
     "Free space of the data folder. See MaejinDiskNearlyFull."},
    {"fsync",
     "Time of one fsync. Above a few milliseconds every join, hold and payment waits for it: use"
     " another disk."},
    {"clock",
     "The clock is synchronised. See MaejinClockOff."},
    {"files",
     "The limit of open files fits http.connections. The package's unit sets LimitNOFILE=."},
    {"admin key",
     "The key file exists and other users cannot read it."},
    {"audit",
     "The hash chain of the audit log is intact. A broken chain means that a row was changed "
     "outside maejin."},
    {"backup",
     "The newest scheduled backup is at most two intervals old. See MaejinBackupsFail."},
    {"named files",
     "serve can use the files that settings name: the logo, secrets, and files of authorities."},
    {"certificate",
     "The certificate of tls.cert-file fits its key and is valid for 14 more days."},
    {"redis",
     "Connection, version, role, eviction, persistence, clock and scripts of Redis."},
    {"database",
     "Connection, version, schema, durability and clock of MariaDB."},
    {"limits",
     "Concerts and rooms have limits per user and per address."},
    {"users",
     "How fans are identified: signed tokens, or trusted ids from a gateway of your own."},
    {"opening",
     "the concert opens at a time, shown in the zone of timezone, and not at night."},
    {"room",
     "the waiting room lets fans join and be admitted when the sale opens."},
    {"rehearsal",
     "a rehearsal on this server sold out within 30 days, with at least this capacity."},
    {"gate",
     "limits per user and per address are set for the concert and its room."},
    {"webhooks",
     "every endpoint is active and accepted an event within a day. Send a test: POST "
     "/api/v1/admin/webhooks/{id}/test. See MaejinWebhookFails."},
    {"payment",
     "the provider takes real money and accepts connections. See MaejinPaymentsStuck."},
};
// clang-format on

// Empty: no check has this name.
constexpr std::string_view MeaningOf(std::string_view about) {
  for (const auto& row : kCheckMeanings)
    if (row.name == about) return row.meaning;
  return {};
}

}  // namespace maejin::app
