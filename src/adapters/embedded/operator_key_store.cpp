#include "adapters/embedded/operator_key_store.h"

namespace maejin::embedded {
namespace {

constexpr Sql kInsertKey{
    "INSERT INTO operator_keys (id, name, role, digest, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)"};
constexpr Sql kDeleteKey{"DELETE FROM operator_keys WHERE id = ?"};

}  // namespace

EmbeddedOperatorKeyStore::EmbeddedOperatorKeyStore(Connection& reader, Journal& journal, AuditLog& audit)
    : journal_(journal), audit_(audit) {
  auto rows = reader.Prepare("SELECT id, name, role, digest, created_at, expires_at FROM operator_keys");
  while (rows.Step()) {
    const auto role = RoleOf(rows.Text(2));
    const auto bytes = rows.Text(3);
    Digest digest{};
    if (!role || bytes.size() != digest.size()) throw SqliteError(0, "operator_keys has an invalid row");
    std::memcpy(digest.data(), bytes.data(), digest.size());
    OperatorKey key{
        std::string(rows.Text(0)), std::string(rows.Text(1)), *role, TimeFromMillis(rows.Int(4)), {}};
    if (const auto expires = rows.OptionalInt(5)) key.expires_at = TimeFromMillis(*expires);
    table_.Put(digest, std::move(key));
  }
}

Task<Outcome<Done>> EmbeddedOperatorKeyStore::Add(OperatorKey key, Digest digest, Operator actor) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    if (table_.size() >= kMaxKeys) co_return TooManyKeys();
    WriteSet rows;
    rows.Add(kInsertKey).Text(key.id).Text(key.name).Text(Name(key.role)).Blob(AsText(digest));
    rows.At(key.created_at).OptionalAt(key.expires_at);
    const auto subject = "key " + key.id;
    const auto detail = Describe(key);
    ticket = audit_.Append(rows, {actor.at, actor.name, "key.create", subject, detail});
    table_.Put(digest, std::move(key));
  }
  co_return co_await journal_.Committed(ticket);
}

Task<Outcome<Done>> EmbeddedOperatorKeyStore::Remove(std::string id, Operator actor) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    if (!table_.Has(id)) co_return Refused{Refusal::kNotFound, id};
    WriteSet rows;
    rows.Add(kDeleteKey).Text(id);
    ticket = audit_.Append(rows, {actor.at, actor.name, "key.delete", "key " + id, ""});
    table_.Erase(id);
  }
  co_return co_await journal_.Committed(ticket);
}

}  // namespace maejin::embedded
