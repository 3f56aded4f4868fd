#include "adapters/embedded/idempotency_store.h"

namespace maejin::embedded {
namespace {

using Kind = IdempotencyBegin::Kind;

constexpr Sql kPut{
    "INSERT OR REPLACE INTO idempotency (id, fingerprint, caller, announced, begun_at, status, headers, "
    "body) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"};
constexpr Sql kDelete{"DELETE FROM idempotency WHERE id = ?"};
constexpr Sql kDeleteOlder{"DELETE FROM idempotency WHERE begun_at < ?"};
// The status of a row that holds no answer yet.
constexpr int kNoAnswer = 0;
constexpr auto kDropRowsEvery = std::chrono::minutes{1};

Digest ToDigest(std::string_view bytes) {
  Digest digest{};
  std::memcpy(digest.data(), bytes.data(), std::min(bytes.size(), digest.size()));
  return digest;
}

std::uint64_t ShortCaller(const Digest& caller) {
  std::uint64_t word = 0;
  std::memcpy(&word, caller.data(), sizeof word);
  return word;
}

WriteSet AnswerRow(const IdempotentRequest& request, Time begun_at, const StoredAnswer& answer) {
  WriteSet rows;
  rows.Add(kPut).Blob(AsText(request.id)).Blob(AsText(request.fingerprint));
  rows.Int(static_cast<std::int64_t>(ShortCaller(request.caller))).Int(request.announced ? 1 : 0);
  rows.At(begun_at).Int(answer.status).Text(answer.extra_headers).Blob(answer.body);
  return rows;
}

}  // namespace

EmbeddedIdempotencyStore::EmbeddedIdempotencyStore(Journal& journal, const std::string& path, Time now,
                                                   std::size_t most_answers)
    : journal_(journal),
      most_answers_(most_answers),
      rows_dropped_at_(now),
      reader_(path, Connection::Mode::kReadOnly) {
  Load(now);
}

void EmbeddedIdempotencyStore::Load(Time now) {
  auto rows = reader_.Prepare(
      "SELECT id, fingerprint, caller, announced, begun_at FROM idempotency WHERE begun_at > ? ORDER BY "
      "begun_at");
  rows.Bind(1, ToMillis(now - kIdempotencyKept));
  while (rows.Step()) {
    const auto caller = static_cast<Caller>(rows.Int(2));
    const auto begun_at = TimeFromMillis(rows.Int(4));
    ++keys_of_[caller];
    if (rows.Int(3) != 0) {
      operators_.push_back({begun_at, caller});
      continue;
    }
    const auto id = ToDigest(rows.Text(0));
    entries_[id] = Entry{ToDigest(rows.Text(1)), begun_at, 0, caller, State::kAnswered};
    answered_.push_back({begun_at, id});
  }
}

void EmbeddedIdempotencyStore::Release(Caller caller) {
  const auto found = keys_of_.find(caller);
  if (found == keys_of_.end()) return;
  if (--found->second == 0) keys_of_.erase(found);
}

void EmbeddedIdempotencyStore::EvictOldest() {
  const auto found = entries_.find(answered_.front().id);
  Release(found->second.caller);
  entries_.erase(found);
  answered_.pop_front();
}

void EmbeddedIdempotencyStore::DropExpired(Time now) {
  const auto ended = [now](Time begun_at) { return begun_at + kIdempotencyKept <= now; };
  while (!answered_.empty() && ended(answered_.front().begun_at)) EvictOldest();
  while (!operators_.empty() && ended(operators_.front().begun_at)) {
    Release(operators_.front().caller);
    operators_.pop_front();
  }
  if (now < rows_dropped_at_ + kDropRowsEvery || !journal_.Accepting()) return;
  rows_dropped_at_ = now;
  journal_.Append(WriteSet{}.Add(kDeleteOlder).At(now - kIdempotencyKept));
}

// Entries of operators stay in memory until their rows are committed; a lookup then finds them on disk.
void EmbeddedIdempotencyStore::DropCommitted() {
  std::erase_if(uncommitted_, [this](const Digest& id) {
    const auto found = entries_.find(id);
    // An abandoned key may be started again. While that request runs, its entry must stay in memory.
    if (found == entries_.end() || found->second.state == State::kRunning) return true;
    if (!journal_.IsCommitted(found->second.ticket)) return false;
    entries_.erase(found);
    return true;
  });
}

std::optional<IdempotencyBegin> EmbeddedIdempotencyStore::FindOnDisk(const IdempotentRequest& request,
                                                                     Time now) {
  const std::lock_guard lock(reader_mutex_);
  auto row =
      reader_.Prepare("SELECT fingerprint, begun_at, status, headers, body FROM idempotency WHERE id = ?");
  row.BindBlob(1, AsText(request.id));
  if (!row.Step() || TimeFromMillis(row.Int(1)) + kIdempotencyKept <= now) return {};
  if (row.Text(0) != AsText(request.fingerprint)) return IdempotencyBegin{Kind::kMismatch, {}};
  if (row.Int(2) == kNoAnswer) return IdempotencyBegin{Kind::kInterrupted, {}};
  return IdempotencyBegin{Kind::kReplay, StoredAnswer{static_cast<int>(row.Int(2)), std::string(row.Text(3)),
                                                      std::string(row.Text(4))}};
}

Outcome<EmbeddedIdempotencyStore::Found> EmbeddedIdempotencyStore::FindOrStart(
    const IdempotentRequest& request, Time now) {
  DropExpired(now);
  DropCommitted();
  const auto known = entries_.find(request.id);
  if (known != entries_.end() && known->second.state != State::kAbandoned) {
    const auto& entry = known->second;
    if (entry.fingerprint != request.fingerprint) return Found{{Kind::kMismatch, {}}};
    if (entry.state == State::kRunning) return Found{{Kind::kRunning, {}}};
    return Found{{Kind::kReplay, {}}, entry.ticket};
  }
  if (known == entries_.end() && request.announced) {
    if (auto found = FindOnDisk(request, now)) return Found{std::move(*found)};
  }
  const auto caller = ShortCaller(request.caller);
  if (request.quota != kKeysUnlimited) {
    const auto used = keys_of_.find(caller);
    if (used != keys_of_.end() && used->second >= request.quota) {
      return TooManyKeys(request.quota);
    }
  }
  ++keys_of_[caller];
  entries_[request.id] = Entry{request.fingerprint, now, 0, caller, State::kRunning};
  if (!request.announced) return Found{{Kind::kNew, {}}};
  return Found{{Kind::kNew, {}}, journal_.Append(AnswerRow(request, now, {kNoAnswer, "", ""}))};
}

Task<Outcome<IdempotencyBegin>> EmbeddedIdempotencyStore::Begin(IdempotentRequest request, Time now) {
  std::optional<Outcome<Found>> found;
  {
    const std::lock_guard lock(mutex_);
    found.emplace(FindOrStart(request, now));
  }
  if (!found->ok()) co_return found->error();
  auto begin = std::move((*found)->begin);
  const auto committed = co_await journal_.Committed((*found)->wait_for);
  if (!committed.ok()) {
    if (begin.kind == Kind::kNew) Abandon(request);
    co_return committed.error();
  }
  if (begin.kind == Kind::kReplay && !begin.answer) {
    begin.answer = ReadAnswer(request.id);
    // The answer was evicted meanwhile. If the client repeats the request, it runs and recognises its own
    // effect.
    if (!begin.answer) co_return Refusal::kUnavailable;
  }
  co_return begin;
}

Task<Outcome<Done>> EmbeddedIdempotencyStore::Finish(IdempotentRequest request, StoredAnswer answer) {
  Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(request.id);
    if (found == entries_.end()) co_return Done{};
    auto& entry = found->second;
    auto rows = AnswerRow(request, entry.begun_at, answer);
    if (request.announced) {
      operators_.push_back({entry.begun_at, entry.caller});
      uncommitted_.push_back(request.id);
    } else {
      answered_.push_back({entry.begun_at, request.id});
    }
    entry.state = State::kAnswered;
    while (answered_.size() > most_answers_) {
      rows.Add(kDelete).Blob(AsText(answered_.front().id));
      EvictOldest();
    }
    ticket = journal_.Append(rows);
    if (const auto kept = entries_.find(request.id); kept != entries_.end()) kept->second.ticket = ticket;
  }
  co_return co_await journal_.Committed(ticket);
}

void EmbeddedIdempotencyStore::Abandon(const IdempotentRequest& request) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(request.id);
  if (found == entries_.end()) return;
  Release(found->second.caller);
  if (!request.announced) {
    entries_.erase(found);
    return;
  }
  // The announcement stays on disk until its deletion is committed. Until then the entry stays in memory, so
  // that a repeated request does not count as interrupted.
  found->second.ticket = journal_.Append(WriteSet{}.Add(kDelete).Blob(AsText(request.id)));
  found->second.state = State::kAbandoned;
  uncommitted_.push_back(request.id);
}

std::optional<StoredAnswer> EmbeddedIdempotencyStore::ReadAnswer(const Digest& id) {
  const std::lock_guard lock(reader_mutex_);
  auto row = reader_.Prepare("SELECT status, headers, body FROM idempotency WHERE id = ?");
  row.BindBlob(1, AsText(id));
  if (!row.Step()) return {};
  return StoredAnswer{static_cast<int>(row.Int(0)), std::string(row.Text(1)), std::string(row.Text(2))};
}

std::size_t EmbeddedIdempotencyStore::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace maejin::embedded
