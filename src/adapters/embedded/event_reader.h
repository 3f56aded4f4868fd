// The event feed of the database, read on a connection of its own: it never waits for a writer.
#pragma once

#include <mutex>
#include <string>

#include "adapters/embedded/journal.h"
#include "store/event_feed.h"

namespace maejin::embedded {

class EventReader final : public EventFeed {
 public:
  // The journal outlives it. Throws SqliteError.
  EventReader(Journal& journal, const std::string& database)
      : journal_(journal), connection_(database, Connection::Mode::kReadOnly) {}

  // Waits for the disk.
  Task<Outcome<EventPage>> Read(EventQuery query) override { co_return ReadPage(query); }
  std::int64_t NewestAtOnce() const override { return journal_.NewestEvent(); }
  void Prune(Time before) override;

 private:
  Outcome<EventPage> ReadPage(const EventQuery& query);

  Journal& journal_;
  std::mutex mutex_;
  Connection connection_;  // guarded by mutex_
};

}  // namespace maejin::embedded
