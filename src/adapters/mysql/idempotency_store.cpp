#include "adapters/mysql/idempotency_store.h"

#include <mutex>
#include <utility>
#include <vector>

#include "base/run_task.h"

namespace maejin::mysql {
namespace {

using Kind = IdempotencyBegin::Kind;

constexpr int kForgottenAtOnce = 5000;

Seconds LeaseOf(const IdempotentRequest& request) { return request.announced ? kOperatorLease : kFanLease; }

Value Bytes(const Digest& digest) { return Value::Bytes(AsText(digest)); }

// True while the caller is below its quota. Counts no further than the quota; the index keeps a caller's rows
// together.
constexpr const char* kWithinQuota =
    "(SELECT COUNT(*) FROM (SELECT 1 FROM idempotency_keys WHERE caller = ? LIMIT ?) AS used) < ?";

// Inserts the row of a new key. False: the key has a row, or the caller is at its quota. READ COMMITTED: the
// count takes no locks, so callers do not wait for each other.
bool Insert(Connection& connection, const IdempotentRequest& request, Time now) {
  static const std::string kInsert =
      "INSERT IGNORE INTO idempotency_keys (id, fingerprint, caller, owner, begun_at, running_until, "
      "announced) ";
  if (request.quota == kKeysUnlimited) {
    static const std::string kAlways = kInsert + "VALUES (?, ?, ?, ?, ?, ?, ?)";
    return connection.Execute(kAlways, Bytes(request.id), Bytes(request.fingerprint), Bytes(request.caller),
                              request.attempt, now, now + LeaseOf(request), request.announced) == 1;
  }
  static const std::string kLimited = kInsert + "SELECT ?, ?, ?, ?, ?, ?, ? FROM DUAL WHERE " + kWithinQuota;
  return connection.Execute(kLimited, Bytes(request.id), Bytes(request.fingerprint), Bytes(request.caller),
                            request.attempt, now, now + LeaseOf(request), request.announced,
                            Bytes(request.caller), request.quota, request.quota) == 1;
}

// Decides a request if the table has a row of its key. kNew: the row is expired, the lease of a fan's request
// is over, or this attempt wrote the row. The request then takes the row. Refuses: kTooManyRequests.
Outcome<IdempotencyBegin> Look(Connection& connection, const IdempotentRequest& request, Time now) {
  auto row = connection.Query(
      "SELECT fingerprint, owner, begun_at, running_until, status, headers, body, announced FROM "
      "idempotency_keys WHERE id = ? FOR UPDATE",
      Bytes(request.id));
  if (!row.Next()) {
    static const std::string kQuestion = std::string("SELECT ") + kWithinQuota;
    auto within = connection.Query(kQuestion, Bytes(request.caller), request.quota, request.quota);
    within.Next();
    if (request.quota == kKeysUnlimited || within.Int(0) != 0) {
      throw MysqlError(kChangedRow, "the key was freed meanwhile");
    }
    return TooManyKeys(request.quota);
  }
  const bool running = row.IsNull(4);
  if (row.Id(1) == request.attempt) return IdempotencyBegin{Kind::kNew, {}};
  const bool left_behind = running && row.At(3) <= now;
  if (row.At(2) + kIdempotencyKept <= now || (left_behind && row.Int(7) == 0))
    return IdempotencyBegin{Kind::kNew, {}};
  if (row.Text(0) != AsText(request.fingerprint)) return IdempotencyBegin{Kind::kMismatch, {}};
  if (left_behind) return IdempotencyBegin{Kind::kInterrupted, {}};
  if (running) return IdempotencyBegin{Kind::kRunning, {}};
  return IdempotencyBegin{Kind::kReplay, StoredAnswer{static_cast<int>(row.Int(4)), std::string(row.Text(5)),
                                                      std::string(row.Text(6))}};
}

void StoreAnswer(Connection& connection, const IdempotentRequest& request, const StoredAnswer& answer) {
  connection.Execute(
      "UPDATE idempotency_keys SET status = ?, headers = ?, body = ? WHERE id = ? AND owner = ? AND status "
      "IS "
      "NULL",
      answer.status, answer.extra_headers, Value::Bytes(answer.body), Bytes(request.id), request.attempt);
}

void FreeKey(Connection& connection, const IdempotentRequest& request) {
  connection.Execute("DELETE FROM idempotency_keys WHERE id = ? AND owner = ? AND status IS NULL",
                     Bytes(request.id), request.attempt);
}

}  // namespace

// A bounded queue of request ends that could not be written. If the queue is full, the lease of a request
// frees its key.
class MysqlIdempotencyStore::Unwritten {
 public:
  struct End {
    IdempotentRequest request;
    std::optional<StoredAnswer> answer;  // absent: the key is to be freed
  };
  void Add(End end) {
    const std::lock_guard lock(mutex_);
    if (ends_.size() < kMost) ends_.push_back(std::move(end));
  }
  std::vector<End> Take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(ends_, {});
  }

 private:
  static constexpr std::size_t kMost = 2'000;
  std::mutex mutex_;
  std::vector<End> ends_;  // guarded by mutex_
};

MysqlIdempotencyStore::MysqlIdempotencyStore(Pool& pool, Random& random)
    : pool_(pool), random_(random), unwritten_(std::make_shared<Unwritten>()) {}

Task<Outcome<IdempotencyBegin>> MysqlIdempotencyStore::Begin(IdempotentRequest request, Time now) {
  request.attempt = Id128::Random(random_);
  const auto begin = [request, now](Connection& connection, const Attempt&) -> Outcome<IdempotencyBegin> {
    const IdempotencyBegin first{Kind::kNew, {}, request.attempt};
    if (Insert(connection, request, now)) return first;
    auto begun = Look(connection, request, now);
    if (!begun || begun->kind != Kind::kNew) return begun;
    connection.Execute(
        "UPDATE idempotency_keys SET fingerprint = ?, owner = ?, begun_at = ?, running_until = ?, "
        "announced = ?, status = NULL, headers = NULL, body = NULL WHERE id = ?",
        Bytes(request.fingerprint), request.attempt, now, now + LeaseOf(request), request.announced,
        Bytes(request.id));
    return first;
  };
  auto begun = co_await pool_.Write(begin);
  // The answer to the commit may be lost, so the row may exist. RetryUnwritten() frees the key.
  if (!begun && begun.error() == Refusal::kUnavailable) unwritten_->Add({request, {}});
  co_return begun;
}

Task<Outcome<Done>> MysqlIdempotencyStore::Finish(IdempotentRequest request, StoredAnswer answer) {
  const auto finish = [request, answer](Connection& connection, const Attempt&) -> Outcome<Done> {
    StoreAnswer(connection, request, answer);
    return Done{};
  };
  auto finished = co_await pool_.Write(finish);
  if (!finished) unwritten_->Add({request, std::move(answer)});
  co_return finished;
}

void MysqlIdempotencyStore::Abandon(const IdempotentRequest& request) {
  pool_.Send([request](Connection& connection) { FreeKey(connection, request); },
             [request, unwritten = unwritten_] { unwritten->Add({request, {}}); });
}

void MysqlIdempotencyStore::RetryUnwritten() {
  auto ends = unwritten_->Take();
  if (ends.empty()) return;
  const auto written = RunTask(pool_.Write([&ends](Connection& connection, const Attempt&) -> Outcome<Done> {
    for (const auto& [request, answer] : ends) {
      if (answer) {
        StoreAnswer(connection, request, *answer);
      } else {
        FreeKey(connection, request);
      }
    }
    return Done{};
  }));
  if (written) return;
  for (auto& end : ends) unwritten_->Add(std::move(end));
}

void MysqlIdempotencyStore::Forget(Time now) {
  const auto before = now - kIdempotencyKept;
  const auto some = [this, before] {
    const auto gone =
        RunTask(pool_.Write([before](Connection& connection, const Attempt&) -> Outcome<std::int64_t> {
          return connection.Execute("DELETE FROM idempotency_keys WHERE begun_at < ? LIMIT ?", before,
                                    kForgottenAtOnce);
        }));
    return gone && *gone == kForgottenAtOnce;
  };
  while (some()) {
  }
}

}  // namespace maejin::mysql
