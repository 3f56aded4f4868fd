// Writes the changes of a room as rows, and keeps uncommitted changes out of answers.
#pragma once

#include <string_view>

#include "adapters/embedded/audit_log.h"
#include "adapters/embedded/journal.h"
#include "adapters/embedded/waiting_room/room.h"

namespace maejin::embedded {

// Thread-safe; every call with a Room needs the room's lock.
class RoomWriter {
 public:
  // Both outlive it.
  RoomWriter(Journal& journal, AuditLog& audit) : journal_(journal), audit_(audit) {}

  // Takes the changes of the room's line and appends their rows, with the audit row if there is one. Also
  // counts the changes and sets Room::due_ms. `user`: the user that joined; empty: no user joined.
  // Returns the ticket, or 0: nothing changed.
  Ticket Write(Room& room, std::string_view user = {}, const AuditEntry* audit = nullptr);
  // Changes "entered" to "ready" or "waiting", with a poll after 250 ms, until the entry is on disk.
  void HideUncommittedEntry(Room& room, Standing& standing) const;

 private:
  static std::uint64_t NoShowsOf(Room& room);
  static void Count(Room& room, const RoomChange& change);
  static void Revoke(Room& room, const RoomChange& change, WriteSet& rows);
  static void AddRows(Room& room, const RoomChange& change, std::string_view user, WriteSet& rows);
  static void AddRoomRow(const Room& room, WriteSet& rows);
  static void AddNumbers(const Room& room, WriteSet& rows);

  Journal& journal_;
  AuditLog& audit_;
};

}  // namespace maejin::embedded
