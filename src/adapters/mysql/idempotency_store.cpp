#include "adapters/mysql/idempotency_store.h"

#include "base/run_task.h"

namespace maejin::mysql {
namespace {

using Kind = IdempotencyBegin::Kind;

constexpr int kForgottenAtOnce = 5000;
constexpr std::uint32_t kRetryAfterQuota = 3600;

Value Bytes(const Digest& digest) { return Value::Bytes(AsText(digest)); }

// The caller may have one more key remembered. Counts no further than the quota; the index has the caller's
// rows together.
constexpr const char* kWithinQuota =
    "(SELECT COUNT(*) FROM (SELECT 1 FROM idempotency_keys WHERE caller = ? LIMIT ?) AS used) < ?";

// Inserts the row of a new key; false: the key has a row, or the caller no quota left. READ COMMITTED: the
// count takes no locks, so that callers do not wait for each other.
bool Insert(Connection& connection, const IdempotentRequest& request, const Id128& owner, Time now) {
  static const std::string kInsert =
      "INSERT IGNORE INTO idempotency_keys (id, fingerprint, caller, owner, begun_at, running_until, "
      "announced) ";
  if (request.quota == kKeysUnlimited) {
    static const std::string kAlways = kInsert + "VALUES (?, ?, ?, ?, ?, ?, ?)";
    return connection.Execute(kAlways, Bytes(request.id), Bytes(request.fingerprint), Bytes(request.caller),
                              owner, now, now + kRequestRunsAtMost, request.announced) == 1;
  }
  static const std::string kLimited = kInsert + "SELECT ?, ?, ?, ?, ?, ?, ? FROM DUAL WHERE " + kWithinQuota;
  return connection.Execute(kLimited, Bytes(request.id), Bytes(request.fingerprint), Bytes(request.caller),
                            owner, now, now + kRequestRunsAtMost, request.announced, Bytes(request.caller),
                            request.quota, request.quota) == 1;
}

// What the key's row says to a request that did not make it; kNew: the row has ended and is free to be taken
// over. Refuses: kTooManyRequests.
Outcome<IdempotencyBegin> Look(Connection& connection, const IdempotentRequest& request, const Id128& owner,
                               Time now) {
  auto row = connection.Query(
      "SELECT fingerprint, owner, begun_at, running_until, status, headers, body, announced FROM "
      "idempotency_keys WHERE id = ? FOR UPDATE",
      Bytes(request.id));
  if (!row.Next()) {
    static const std::string kQuestion = std::string("SELECT ") + kWithinQuota;
    auto within = connection.Query(kQuestion, Bytes(request.caller), request.quota, request.quota);
    within.Next();
    if (request.quota == kKeysUnlimited || within.Int(0) != 0) {
      throw MysqlError(kChangedRow, "the key was given up meanwhile");
    }
    Refused refused{Refusal::kTooManyRequests, "too many Idempotency-Keys of one caller in 24 hours"};
    refused.retry_after_seconds = kRetryAfterQuota;
    return refused;
  }
  const bool running = row.IsNull(4);
  if (row.Id(1) == owner) return IdempotencyBegin{Kind::kNew, {}};
  const bool left_behind = running && row.At(3) <= now;
  if (row.At(2) + kIdempotencyKept <= now || (left_behind && row.Int(7) == 0))
    return IdempotencyBegin{Kind::kNew, {}};
  if (row.Text(0) != AsText(request.fingerprint)) return IdempotencyBegin{Kind::kMismatch, {}};
  if (left_behind) return IdempotencyBegin{Kind::kInterrupted, {}};
  if (running) return IdempotencyBegin{Kind::kRunning, {}};
  return IdempotencyBegin{Kind::kReplay, StoredAnswer{static_cast<int>(row.Int(4)), std::string(row.Text(5)),
                                                      std::string(row.Text(6))}};
}

}  // namespace

Task<Outcome<IdempotencyBegin>> MysqlIdempotencyStore::Begin(IdempotentRequest request, Time now) {
  const auto owner = Id128::Random(random_);
  return pool_.Write(
      [request, owner, now](Connection& connection, const Attempt&) -> Outcome<IdempotencyBegin> {
        if (Insert(connection, request, owner, now)) return IdempotencyBegin{Kind::kNew, {}};
        auto begun = Look(connection, request, owner, now);
        if (begun && begun->kind == Kind::kNew) {
          connection.Execute(
              "UPDATE idempotency_keys SET fingerprint = ?, owner = ?, begun_at = ?, running_until = ?, "
              "announced = ?, status = NULL, headers = NULL, body = NULL WHERE id = ?",
              Bytes(request.fingerprint), owner, now, now + kRequestRunsAtMost, request.announced,
              Bytes(request.id));
        }
        return begun;
      });
}

Task<Outcome<Done>> MysqlIdempotencyStore::Finish(IdempotentRequest request, StoredAnswer answer) {
  return pool_.Write(
      [request, answer = std::move(answer)](Connection& connection, const Attempt&) -> Outcome<Done> {
        connection.Execute(
            "UPDATE idempotency_keys SET status = ?, headers = ?, body = ? WHERE id = ? AND status IS NULL",
            answer.status, answer.extra_headers, Value::Bytes(answer.body), Bytes(request.id));
        return Done{};
      });
}

void MysqlIdempotencyStore::Abandon(const IdempotentRequest& request) {
  pool_.Send([request](Connection& connection) {
    connection.Execute("DELETE FROM idempotency_keys WHERE id = ? AND status IS NULL", Bytes(request.id));
  });
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
