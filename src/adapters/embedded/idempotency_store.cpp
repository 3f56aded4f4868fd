#include "adapters/embedded/idempotency_store.h"

namespace maejin::embedded {
namespace {

constexpr Sql kPut{
    "INSERT OR REPLACE INTO idempotency (id, fingerprint, begun_at, status, headers, body) VALUES (?, ?, ?, "
    "?, ?, ?)"};
constexpr Sql kAbandon{"DELETE FROM idempotency WHERE id = ?"};
// The status of a row that holds no answer yet.
constexpr int kAnnounced = 0;
constexpr Sql kForget{"DELETE FROM idempotency WHERE begun_at < ?"};
constexpr auto kForgetRowsEvery = std::chrono::minutes{1};

Digest ToDigest(std::string_view bytes) {
  Digest digest{};
  std::memcpy(digest.data(), bytes.data(), std::min(bytes.size(), digest.size()));
  return digest;
}

}  // namespace

EmbeddedIdempotencyStore::EmbeddedIdempotencyStore(Journal& journal, const std::string& path, Time now,
                                                   std::size_t most_entries)
    : journal_(journal),
      most_entries_(most_entries),
      rows_forgotten_at_(now),
      reader_(path, Connection::Mode::kReadOnly) {
  auto rows = reader_.Prepare(
      "SELECT id, fingerprint, begun_at, status FROM idempotency WHERE begun_at > ? ORDER BY begun_at");
  rows.Bind(1, ToMillis(now - kIdempotencyKept));
  while (rows.Step()) {
    const auto id = ToDigest(rows.Text(0));
    Remember(
        id, Entry{ToDigest(rows.Text(1)), TimeFromMillis(rows.Int(2)), Ticket{0}, rows.Int(3) == kAnnounced});
  }
}

void EmbeddedIdempotencyStore::Remember(const Digest& id, const Entry& entry) {
  entries_[id] = entry;
  by_time_.emplace_back(entry.begun_at, id);
}

// A request that still runs is kept whatever its age: its effect is under way.
void EmbeddedIdempotencyStore::Forget(Time now) {
  while (!by_time_.empty()) {
    const auto& [begun_at, id] = by_time_.front();
    if (begun_at + kIdempotencyKept > now && by_time_.size() <= most_entries_) break;
    const auto found = entries_.find(id);
    const bool mine = found != entries_.end() && found->second.begun_at == begun_at;
    if (mine && !found->second.ticket) break;
    if (mine) entries_.erase(found);
    by_time_.pop_front();
  }
  if (now < rows_forgotten_at_ + kForgetRowsEvery || !journal_.Accepting()) return;
  rows_forgotten_at_ = now;
  journal_.Append(WriteSet{}.Add(kForget).At(now - kIdempotencyKept));
}

EmbeddedIdempotencyStore::Known EmbeddedIdempotencyStore::Look(const IdempotentRequest& request, Time now) {
  using Kind = IdempotencyBegin::Kind;
  const std::lock_guard lock(mutex_);
  Forget(now);
  const auto found = entries_.find(request.id);
  if (found == entries_.end()) {
    Remember(request.id, Entry{request.fingerprint, now, {}});
    if (!request.announced) return {Kind::kNew};
    WriteSet rows;
    rows.Add(kPut).Blob(AsText(request.id)).Blob(AsText(request.fingerprint)).At(now);
    rows.Int(kAnnounced).Text("").Blob("");
    return {Kind::kNew, journal_.Append(rows)};
  }
  const auto& entry = found->second;
  if (entry.fingerprint != request.fingerprint) return {Kind::kMismatch};
  if (entry.interrupted) return {Kind::kInterrupted};
  if (!entry.ticket) return {Kind::kRunning};
  return {Kind::kReplay, 0, *entry.ticket};
}

Task<Outcome<IdempotencyBegin>> EmbeddedIdempotencyStore::Begin(IdempotentRequest request, Time now) {
  const auto known = Look(request, now);
  const auto committed = co_await journal_.Committed(std::max(known.announcement, known.answer));
  if (!committed.ok()) {
    if (known.announcement != 0) Abandon(request);
    co_return committed.error();
  }
  IdempotencyBegin begun{known.kind, {}};
  if (known.kind == IdempotencyBegin::Kind::kReplay) begun.answer = ReadAnswer(request.id);
  co_return begun;
}

Task<Outcome<Done>> EmbeddedIdempotencyStore::Finish(IdempotentRequest request, StoredAnswer answer) {
  Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(request.id);
    if (found == entries_.end()) co_return Done{};
    WriteSet rows;
    rows.Add(kPut)
        .Blob(AsText(request.id))
        .Blob(AsText(request.fingerprint))
        .At(found->second.begun_at)
        .Int(answer.status);
    rows.Text(answer.extra_headers).Blob(answer.body);
    ticket = journal_.Append(rows);
    found->second.ticket = ticket;
  }
  co_return co_await journal_.Committed(ticket);
}

void EmbeddedIdempotencyStore::Abandon(const IdempotentRequest& request) {
  const std::lock_guard lock(mutex_);
  if (entries_.erase(request.id) == 0 || !request.announced) return;
  WriteSet rows;
  rows.Add(kAbandon).Blob(AsText(request.id));
  journal_.Append(rows);
}

StoredAnswer EmbeddedIdempotencyStore::ReadAnswer(const Digest& id) {
  const std::lock_guard lock(reader_mutex_);
  auto row = reader_.Prepare("SELECT status, headers, body FROM idempotency WHERE id = ?");
  row.BindBlob(1, AsText(id));
  if (!row.Step()) throw SqliteError(0, "the answer to a repeated request is gone");
  return {static_cast<int>(row.Int(0)), std::string(row.Text(1)), std::string(row.Text(2))};
}

std::size_t EmbeddedIdempotencyStore::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace maejin::embedded
