#include "adapters/embedded/idempotency_store.h"

namespace maejin::embedded {
namespace {

constexpr Sql kPut{
    "INSERT OR REPLACE INTO idempotency (id, fingerprint, begun_at, status, headers, body) VALUES (?, ?, ?, "
    "?, ?, ?)"};
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
      "SELECT id, fingerprint, begun_at FROM idempotency WHERE begun_at > ? ORDER BY begun_at");
  rows.Bind(1, ToMillis(now - kIdempotencyKept));
  while (rows.Step()) {
    const auto id = ToDigest(rows.Text(0));
    Remember(id, Entry{ToDigest(rows.Text(1)), TimeFromMillis(rows.Int(2)), Ticket{0}});
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

Task<Outcome<IdempotencyBegin>> EmbeddedIdempotencyStore::Begin(IdempotentRequest request, Time now) {
  using Kind = IdempotencyBegin::Kind;
  std::optional<Ticket> ticket;
  {
    const std::lock_guard lock(mutex_);
    Forget(now);
    const auto found = entries_.find(request.id);
    if (found == entries_.end()) {
      Remember(request.id, Entry{request.fingerprint, now, {}});
      co_return IdempotencyBegin{Kind::kNew, {}};
    }
    if (found->second.fingerprint != request.fingerprint) co_return IdempotencyBegin{Kind::kMismatch, {}};
    ticket = found->second.ticket;
  }
  if (!ticket) co_return IdempotencyBegin{Kind::kRunning, {}};
  const auto committed = co_await journal_.Committed(*ticket);
  if (!committed.ok()) co_return committed.error();
  co_return IdempotencyBegin{Kind::kReplay, ReadAnswer(request.id)};
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
  entries_.erase(request.id);
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
