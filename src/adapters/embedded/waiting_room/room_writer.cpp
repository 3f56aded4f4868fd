#include "adapters/embedded/waiting_room/room_writer.h"

#include <utility>

#include "adapters/embedded/waiting_room/room_rows.h"
#include "domain/waiting_room/pass.h"
#include "store/room_events.h"

namespace maejin::embedded {
namespace {

bool IsBeforeOpening(RoomState state) {
  return state == RoomState::kScheduled || state == RoomState::kPreQueue;
}

}  // namespace

void RoomWriter::HideUncommittedEntry(Room& room, Standing& standing) const {
  if (standing.status != PlaceStatus::kEntered || room.entering.empty()) return;
  const auto entry = room.entering.find(standing.number);
  if (entry == room.entering.end()) return;
  if (journal_.IsCommitted(entry->second)) {
    room.entering.erase(entry);
    return;
  }
  const bool claim = room.line.settings().admission == Admission::kClaim;
  standing.status = claim ? PlaceStatus::kReady : PlaceStatus::kWaiting;
  standing.poll_after = Millis{250};
  standing.ends_at = {};
}

void RoomWriter::AddRoomRow(const Room& room, WriteSet& rows) {
  const RoomRow row{room.id,
                    room.name,
                    room.epoch,
                    room.line.state(),
                    room.line.last_number(),
                    room.line.serving(),
                    room.line.settings()};
  WriteRoom(row, rows);
  if (!room.line.draws().empty()) WriteDraw(room.id, room.line.draws().back(), rows);
}

void RoomWriter::AddNumbers(const Room& room, WriteSet& rows) {
  WriteNumbers(room.id, room.line.last_number(), room.line.serving(), rows);
}

void RoomWriter::Count(Room& room, const RoomChange& change) {
  auto& stats = room.stats;
  stats.arrivals += change.kind == RoomChange::Kind::kJoined ? 1 : 0;
  stats.admissions += change.kind == RoomChange::Kind::kEntered ? 1 : 0;
  if (change.kind != RoomChange::Kind::kEnded) return;
  ++stats.ends[static_cast<std::size_t>(change.ending)];
  stats.no_shows += change.no_show ? 1 : 0;
}

// A pass is listed as revoked if its slot ended early. A site that calls /gate sees the end of a slot at
// once, so it needs only the passes that an operator revoked.
void RoomWriter::Revoke(Room& room, const RoomChange& change, WriteSet& rows) {
  const bool offline = room.line.settings().site.verify == Verification::kOffline;
  const bool early = change.was_inside && change.at < change.session_ends_at;
  if (!early || (!offline && change.ending != Ending::kRevoked)) return;
  const auto forgotten =
      std::erase_if(room.revoked, [&](const Revocation& each) { return each.expires_at <= change.at; });
  if (forgotten > 0) WriteForgotten(room.id, change.at, rows);
  room.revoked.push_back({PassId(room.name, change.number, change.entered_at), change.session_ends_at});
  WriteRevoked(room.id, room.revoked.back(), rows);
}

void RoomWriter::AddRows(Room& room, const RoomChange& change, std::string_view user, WriteSet& rows) {
  switch (change.kind) {
    case RoomChange::Kind::kJoined:
      return WriteJoined(room.id, change.number, user, change.at, rows);
    case RoomChange::Kind::kEntered:
      WriteEntered(room.id, change.number, change.at, rows);
      return WriteWait(room.id, change.number, change.at, rows);
    case RoomChange::Kind::kEnded:
      room.entering.erase(change.number);
      Revoke(room, change, rows);
      WriteEnded(room.id, change.number, rows);
      if (change.number == room.line.last_number()) AddNumbers(room, rows);
      return;
    case RoomChange::Kind::kRoom:
      if (change.earlier_session_limit) WritePassEnds(room.id, *change.earlier_session_limit, rows);
      return AddRoomRow(room, rows);
  }
}

// No-shows that are not in the tally yet.
std::uint64_t RoomWriter::NoShowsOf(Room& room) {
  const auto passed = room.line.turns_passed();
  auto no_shows = passed - std::exchange(room.tallied_turns, passed);
  for (const auto& change : room.line.changes()) no_shows += change.no_show ? 1 : 0;
  return no_shows;
}

Ticket RoomWriter::Write(Room& room, std::string_view user, const AuditEntry* audit) {
  room.due_ms.store(ToMillis(room.line.NextDue()), std::memory_order_relaxed);
  auto& changes = room.line.changes();
  if (room.removed) changes.clear();
  const auto no_shows = NoShowsOf(room);
  if (room.removed || (changes.empty() && !audit && no_shows == 0)) return 0;
  thread_local WriteSet rows;
  rows.Clear();
  if (no_shows > 0) WriteNoShows(room.id, no_shows, rows);
  // Before the entries of the same step: a wait begins at the opening.
  const auto state = room.line.state();
  const bool opens = state == RoomState::kOpen && IsBeforeOpening(room.announced_state);
  if (opens && !changes.empty()) WriteOpened(room.id, changes.back().at, rows);
  bool joined = false;
  bool entered = false;
  bool configured = audit != nullptr;
  for (const auto& change : changes) {
    Count(room, change);
    AddRows(room, change, user, rows);
    joined = joined || change.kind == RoomChange::Kind::kJoined;
    entered = entered || change.kind == RoomChange::Kind::kEntered;
    configured = configured || change.kind == RoomChange::Kind::kRoom;
  }
  if (entered) AddNumbers(room, rows);
  std::vector<EventDraft> drafts;
  if (state != room.announced_state && (!changes.empty() || audit)) {
    room.announced_state = state;
    AppendRoomEvent(drafts, room.name, state, changes.empty() ? audit->at : changes.back().at);
  }
  const auto ticket =
      audit ? audit_.Append(rows, *audit, {}, std::move(drafts)) : journal_.Append(rows, {}, drafts);
  for (const auto& change : changes) {
    if (change.kind == RoomChange::Kind::kEntered) room.entering[change.number] = ticket;
  }
  if (joined) room.joined = ticket;
  if (configured) {
    room.configured = ticket;
    room.notice = SharedNotice(room.line.settings());
    room.site = std::make_shared<const SiteSettings>(room.line.settings().site);
  }
  changes.clear();
  return ticket;
}

}  // namespace maejin::embedded
