// Writes and reads the rows of waiting rooms (schema/0001_waiting_room.sql).
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "adapters/embedded/sqlite.h"
#include "adapters/embedded/write_set.h"
#include "store/waiting_room_store.h"

namespace maejin::embedded {

struct RoomRow {
  std::int64_t id = 0;
  RoomId name;
  std::uint32_t epoch = 1;
  RoomState state = RoomState::kOpen;
  PlaceNumber last_number = 0;
  PlaceNumber serving = 0;
  RoomSettings settings;
};

// Inserts the room or replaces all of its columns.
void WriteRoom(const RoomRow& row, WriteSet& rows);
void WriteDraw(std::int64_t room, const Draw& draw, WriteSet& rows);
void WriteJoined(std::int64_t room, PlaceNumber number, std::string_view user, Time at, WriteSet& rows);
void WriteEntered(std::int64_t room, PlaceNumber number, Time at, WriteSet& rows);
// Stores that passes of the room's slots may be valid for `limit`.
void WritePassEnds(std::int64_t room, Seconds limit, WriteSet& rows);
void WriteEnded(std::int64_t room, PlaceNumber number, WriteSet& rows);
// Stores both numbers in the room's row. Call after admissions. A server that starts takes the last number
// from the room's places, so call this also when the place with the last number is deleted.
void WriteNumbers(std::int64_t room, PlaceNumber last_number, PlaceNumber serving, WriteSet& rows);

// Deletes the room with its places, draws, counts and revoked passes.
void WriteRemoved(std::int64_t room, WriteSet& rows);
void WriteRevoked(std::int64_t room, const Revocation& revocation, WriteSet& rows);
// Deletes revoked passes that ended.
void WriteForgotten(std::int64_t room, Time now, WriteSet& rows);

// Counts for the sale report. Call WriteWait() after WriteEntered() of the same place.
void WriteWait(std::int64_t room, PlaceNumber number, Time at, WriteSet& rows);
void WriteOpened(std::int64_t room, Time at, WriteSet& rows);
void WriteNoShows(std::int64_t room, std::uint64_t count, WriteSet& rows);
// Everything but arrivals and the present counts.
RoomTally ReadTallyRows(Connection& connection, std::int64_t room);

std::vector<RoomRow> ReadRooms(Connection& connection);
std::vector<Draw> ReadDraws(Connection& connection, std::int64_t room);
std::vector<Revocation> ReadRevoked(Connection& connection, std::int64_t room, Time now);
// Visits places ascending by number. `user` is valid during the call; the key of the user is not set.
using PlaceVisitor = std::function<void(RestoredPlace& place, std::string_view user)>;
void ReadPlaces(Connection& connection, std::int64_t room, const PlaceVisitor& visit);

}  // namespace maejin::embedded
