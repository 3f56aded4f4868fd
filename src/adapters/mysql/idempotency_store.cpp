#include "adapters/mysql/idempotency_store.h"

#include "base/run_task.h"

namespace maejin::mysql {
namespace {

using Kind = IdempotencyBegin::Kind;

constexpr int kForgottenAtOnce = 5000;

Value Bytes(const Digest& digest) { return Value::Bytes(AsText(digest)); }

// What the key's row says to a request that did not make it; kNew: the row has ended and is free to be taken over.
IdempotencyBegin Look(Connection& connection, const IdempotentRequest& request, const Id128& owner,
                      Time now) {
  auto row = connection.Query(
      "SELECT fingerprint, owner, begun_at, running_until, status, headers, body, announced FROM idempotency "
      "WHERE id = ? FOR UPDATE",
      Bytes(request.id));
  if (!row.Next()) throw MysqlError(kChangedRow, "the key was given up meanwhile");
  const bool running = row.IsNull(4);
  if (row.Id(1) == owner) return {Kind::kNew, {}};
  const bool left_behind = running && row.At(3) <= now;
  if (row.At(2) + kIdempotencyKept <= now || (left_behind && row.Int(7) == 0)) return {Kind::kNew, {}};
  if (row.Text(0) != AsText(request.fingerprint)) return {Kind::kMismatch, {}};
  if (left_behind) return {Kind::kInterrupted, {}};
  if (running) return {Kind::kRunning, {}};
  return {Kind::kReplay,
          StoredAnswer{static_cast<int>(row.Int(4)), std::string(row.Text(5)), std::string(row.Text(6))}};
}

}  // namespace

Task<Outcome<IdempotencyBegin>> MysqlIdempotencyStore::Begin(IdempotentRequest request, Time now) {
  const auto owner = Id128::Random(random_);
  return pool_.Write(
      [request, owner, now](Connection& connection, const Attempt&) -> Outcome<IdempotencyBegin> {
        const bool first =
            connection.Execute(
                "INSERT IGNORE INTO idempotency (id, fingerprint, owner, begun_at, running_until, announced) "
                "VALUES (?, ?, ?, ?, ?, ?)",
                Bytes(request.id), Bytes(request.fingerprint), owner, now, now + kRequestRunsAtMost,
                request.announced) == 1;
        if (first) return IdempotencyBegin{Kind::kNew, {}};
        auto begun = Look(connection, request, owner, now);
        if (begun.kind == Kind::kNew) {
          connection.Execute(
              "UPDATE idempotency SET fingerprint = ?, owner = ?, begun_at = ?, running_until = ?, announced "
              "= ?, status = "
              "NULL, "
              "headers = NULL, body = NULL WHERE id = ?",
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
            "UPDATE idempotency SET status = ?, headers = ?, body = ? WHERE id = ? AND status IS NULL",
            answer.status, answer.extra_headers, Value::Bytes(answer.body), Bytes(request.id));
        return Done{};
      });
}

void MysqlIdempotencyStore::Abandon(const IdempotentRequest& request) {
  pool_.Send([request](Connection& connection) {
    connection.Execute("DELETE FROM idempotency WHERE id = ? AND status IS NULL", Bytes(request.id));
  });
}

void MysqlIdempotencyStore::Forget(Time now) {
  const auto before = now - kIdempotencyKept;
  const auto some = [this, before] {
    const auto gone =
        RunTask(pool_.Write([before](Connection& connection, const Attempt&) -> Outcome<std::int64_t> {
          return connection.Execute("DELETE FROM idempotency WHERE begun_at < ? LIMIT ?", before,
                                    kForgottenAtOnce);
        }));
    return gone && *gone == kForgottenAtOnce;
  };
  while (some()) {
  }
}

}  // namespace maejin::mysql
