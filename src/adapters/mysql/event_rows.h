// Rows of `events` (schema/0010_events.sql and 0023_event_groups.sql), written in the transaction of a
// transition.
#pragma once

#include <span>

#include "adapters/mysql/connection.h"
#include "domain/event.h"
#include "domain/words.h"

namespace maejin::mysql {

void AddEvents(Connection& connection, std::span<const EventDraft> drafts);
// Adds the opening of the concert's sale to the feed, unless the feed has it.
void AddOpening(Connection& connection, ConcertId concert, Time opened_at, Time now);

}  // namespace maejin::mysql
