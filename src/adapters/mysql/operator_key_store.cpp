#include "adapters/mysql/operator_key_store.h"

#include "adapters/mysql/audit_log.h"

namespace maejin::mysql {

void MysqlOperatorKeyStore::Refresh(Connection& connection) {
  const auto version = table_.version();
  OperatorKeyTable::Keys keys;
  auto rows = connection.Query("SELECT id, name, role, digest, created_at, expires_at FROM operator_keys");
  while (rows.Next()) {
    const auto role = RoleOf(rows.Text(2));
    const auto bytes = rows.Text(3);
    Digest digest{};
    // Skips a key with a role that this version does not know, or with a damaged digest.
    if (!role || bytes.size() != digest.size()) continue;
    std::memcpy(digest.data(), bytes.data(), digest.size());
    keys[digest] = {std::string(rows.Text(0)), std::string(rows.Text(1)), *role, rows.At(4),
                    rows.OptionalAt(5)};
  }
  table_.Replace(std::move(keys), version);
}

Task<Outcome<Done>> MysqlOperatorKeyStore::Add(OperatorKey key, Digest digest, Operator actor) {
  auto add = [key, digest, actor = std::move(actor)](Connection& connection,
                                                     const Attempt& attempt) -> Outcome<Done> {
    if (attempt.commit_unknown) {
      auto before = connection.Query("SELECT id FROM operator_keys WHERE id = ? FOR UPDATE", key.id);
      if (before.Next()) return Done{};
    }
    std::int64_t count = 0;
    {
      auto stored = connection.Query("SELECT COUNT(*) FROM operator_keys");
      stored.Next();
      count = stored.Int(0);
    }
    if (count >= static_cast<std::int64_t>(kMaxKeys)) return TooManyKeys();
    connection.Execute(
        "INSERT INTO operator_keys (id, name, role, digest, created_at, expires_at) VALUES (?, ?, ?, ?, ?, "
        "?)",
        key.id, key.name, Name(key.role), Value::Bytes(AsText(digest)), key.created_at, key.expires_at);
    const auto subject = "key " + key.id;
    const auto detail = Describe(key);
    AppendAudit(connection, {actor.at, actor.name, "key.create", subject, detail});
    return Done{};
  };
  auto added = co_await pool_.Write(std::move(add));
  if (added) table_.Put(digest, std::move(key));
  co_return added;
}

Task<Outcome<Done>> MysqlOperatorKeyStore::Remove(std::string id, Operator actor) {
  auto remove = [id, actor = std::move(actor)](Connection& connection,
                                               const Attempt& attempt) -> Outcome<Done> {
    const auto removed = connection.Execute("DELETE FROM operator_keys WHERE id = ?", id);
    if (removed == 0 && attempt.commit_unknown) return Done{};
    if (removed == 0) return Refused{Refusal::kNotFound, id};
    AppendAudit(connection, {actor.at, actor.name, "key.delete", "key " + id, ""});
    return Done{};
  };
  auto removed = co_await pool_.Write(std::move(remove));
  if (removed) table_.Erase(id);
  co_return removed;
}

Task<Outcome<std::vector<OperatorKey>>> MysqlOperatorKeyStore::List() {
  auto refresh = [this](Connection& connection) -> Outcome<Done> {
    Refresh(connection);
    return Done{};
  };
  const auto read = co_await pool_.Read(std::move(refresh));
  if (!read) co_return read.error();
  co_return table_.List();
}

}  // namespace maejin::mysql
