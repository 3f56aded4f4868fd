// The admission log in the embedded database: written through the journal, read on a connection of its own.
#pragma once

#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "adapters/embedded/journal.h"
#include "adapters/embedded/sqlite.h"
#include "store/admission_log.h"

namespace maejin::embedded {

// Thread-safe. Reads see a record once its Record() has returned.
class EmbeddedAdmissionLog final : public AdmissionLog {
 public:
  // `journal` writes to the database at `path`, and outlives this.
  EmbeddedAdmissionLog(Journal& journal, const std::string& path)
      : journal_(journal), reader_(path, Connection::Mode::kReadOnly) {}

  Task<Outcome<Done>> Record(std::vector<AdmissionRecord> admissions) override;
  Task<Outcome<std::vector<AdmissionRecord>>> Admitted(RoomId room,
                                                       std::vector<PlaceNumber> numbers) override;
  Task<Outcome<std::vector<AdmissionRecord>>> Inside(RoomId room, Time now) override;
  Task<Outcome<std::vector<AdmissionRecord>>> EndedEarly(RoomId room, Time now) override;
  Task<Outcome<PlaceNumber>> LastAdmitted(RoomId room) override;
  Task<Outcome<Done>> Forget(Time before) override;
  Task<Outcome<Done>> SaveRoom(SavedRoom room) override;
  Task<Outcome<std::optional<SavedRoom>>> Room(RoomId room) override;
  Task<Outcome<Done>> RecordPhase(RoomPhase phase) override;

 private:
  // Waits until the rows of the ticket are on disk.
  Task<Outcome<Done>> Committed(Outcome<Ticket> ticket);
  // The newest saved epoch of a room. Its row may not be committed yet. Call with order_mutex_ held.
  Outcome<std::uint32_t*> EpochOf(const RoomId& room);
  // The logged phases of a room. The rows of some may not be committed yet. Call with order_mutex_ held.
  struct Phases {
    std::optional<LoggedPhase> newest;
    std::set<std::int64_t> counts;  // of the newest epoch
  };
  Outcome<Phases*> PhasesOf(const RoomId& room);
  Outcome<Ticket> AppendPhase(const RoomPhase& phase);
  Outcome<Ticket> Append(const std::vector<AdmissionRecord>& admissions);
  Outcome<Ticket> AppendRoom(const SavedRoom& room);
  // Runs `read` on the reading connection. Refuses: kUnavailable (SQLite failed).
  template <class Read>
  auto Reading(Read read) -> Outcome<decltype(read(std::declval<Connection&>()))>;

  Journal& journal_;
  std::mutex mutex_;
  Connection reader_;  // guarded by mutex_
  // One process owns the database, so epochs are compared in memory, in the order of the journal.
  std::mutex order_mutex_;
  std::unordered_map<RoomId, std::uint32_t> epochs_;  // guarded by order_mutex_
  std::unordered_map<RoomId, Phases> phases_;         // guarded by order_mutex_
};

}  // namespace maejin::embedded
