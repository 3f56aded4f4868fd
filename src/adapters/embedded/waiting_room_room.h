// One room of the embedded store. Private to waiting_room_store.cpp and waiting_room_calls.cpp.
#pragma once

#include "adapters/embedded/waiting_room_rows.h"
#include "adapters/embedded/waiting_room_store.h"
#include "domain/waiting_room/join_limit.h"

namespace maejin::embedded {

inline std::shared_ptr<const std::string> SharedNotice(const RoomSettings& settings) {
  return settings.notice.empty() ? nullptr : std::make_shared<const std::string>(settings.notice);
}

struct WaitingRoomStore::Room {
  Room(const RoomRow& row, Random& random)
      : id(row.id),
        name(row.name),
        epoch(row.epoch),
        line(row.settings, row.state, random),
        notice(SharedNotice(row.settings)),
        told_state(row.state) {}

  const std::int64_t id;
  const RoomId name;
  const std::uint32_t epoch;
  Room* next = nullptr;  // in its bucket; set before it is published
  Ticket created = 0;
  // When something happens by itself, so that a tick need not take the lock.
  std::atomic<std::int64_t> due_ms{INT64_MAX};

  std::mutex mutex;  // guards everything below
  WaitingRoom line;
  std::shared_ptr<const std::string> notice;
  Ticket joined = 0;                                 // of the newest join
  Ticket configured = 0;                             // of the newest settings or phase
  RoomState told_state;                              // as the feed knows it
  std::unordered_map<PlaceNumber, Ticket> entering;  // entries that may not be on disk yet
  std::int64_t excused_ms = 0;
  std::unique_ptr<JoinLimit> joins;  // where the settings limit them
  RoomStats stats;                   // the counts; Stats() adds the rest
};

}  // namespace maejin::embedded
