#include "adapters/mysql/picture_store.h"

#include <fmt/format.h>

#include "adapters/mysql/audit_log.h"

namespace maejin::mysql {
namespace {

// The tables have the same columns.
const char* TableOf(PictureKind kind) { return kind == PictureKind::kLogo ? "logos" : "posters"; }
std::string ActionOf(PictureKind kind, const char* verb) { return fmt::format("{}.{}", Name(kind), verb); }
Refused Missing(PictureKind kind) { return Refused{Refusal::kNotFound, std::string(Name(kind))}; }

bool HasVersion(Connection& connection, PictureKind kind, ConcertId concert, const std::string& version) {
  auto row = connection.Query(
      fmt::format("SELECT 1 FROM {} WHERE concert_id = ? AND version = ? FOR UPDATE", TableOf(kind)), concert,
      version);
  return row.Next();
}

std::int64_t DeletePictures(Connection& connection, PictureKind kind, ConcertId concert) {
  return connection.Execute(fmt::format("DELETE FROM {} WHERE concert_id = ?", TableOf(kind)), concert);
}

void InsertPicture(Connection& connection, PictureKind kind, ConcertId concert, const std::string& version,
                   const Picture& picture) {
  connection.Execute(
      fmt::format(
          "REPLACE INTO {} (concert_id, width, height, version, type, picture) VALUES (?, ?, ?, ?, ?, "
          "?)",
          TableOf(kind)),
      concert, static_cast<std::int64_t>(picture.info.width), static_cast<std::int64_t>(picture.info.height),
      version, MediaType(picture.info.type), Value::Bytes(*picture.bytes));
}

}  // namespace

void MysqlPictureStore::Refresh(Connection& connection) {
  const auto changes = table_.changes();
  PictureTable::Pictures pictures;
  auto rows =
      connection.Query(fmt::format("SELECT concert_id, width, height, version FROM {}", TableOf(kind_)));
  while (rows.Next()) {
    const auto width = static_cast<std::int32_t>(rows.Int(1));
    const auto height = static_cast<std::int32_t>(rows.Int(2));
    PictureTable::AddRow(pictures, rows.Int(0), std::string(rows.Text(3)),
                         {PictureType::kJpeg, width, height});
  }
  table_.Replace(std::move(pictures), changes);
}

// A repeated attempt writes the same rows again.
Task<Outcome<Done>> MysqlPictureStore::Put(ConcertId concert, std::string version, Picture picture,
                                           Operator actor) {
  auto put = [kind = kind_, concert, version, picture, actor = std::move(actor)](
                 Connection& connection, const Attempt& attempt) -> Outcome<Done> {
    if (attempt.commit_unknown && HasVersion(connection, kind, concert, version)) return Done{};
    DeletePictures(connection, kind, concert);
    InsertPicture(connection, kind, concert, version, picture);
    const auto subject = fmt::format("concert {}", concert);
    const auto detail = Describe(picture);
    AppendAudit(connection, {actor.at, actor.name, ActionOf(kind, "put"), subject, detail});
    return Done{};
  };
  const auto info = picture.info;
  auto done = co_await pool_.Write(std::move(put));
  if (done) table_.Put(concert, version, info);
  co_return done;
}

Task<Outcome<Done>> MysqlPictureStore::PutCopy(ConcertId concert, std::string version, Picture picture) {
  auto put = [kind = kind_, concert, version, picture](Connection& connection,
                                                       const Attempt&) -> Outcome<Done> {
    if (!HasVersion(connection, kind, concert, version)) return Missing(kind);
    InsertPicture(connection, kind, concert, version, picture);
    return Done{};
  };
  const auto info = picture.info;
  auto done = co_await pool_.Write(std::move(put));
  if (done) table_.AddCopy(concert, version, info);
  co_return done;
}

Task<Outcome<Done>> MysqlPictureStore::Remove(ConcertId concert, Operator actor) {
  auto remove = [kind = kind_, concert, actor = std::move(actor)](Connection& connection,
                                                                  const Attempt&) -> Outcome<Done> {
    if (DeletePictures(connection, kind, concert) == 0) return Done{};
    const auto subject = fmt::format("concert {}", concert);
    AppendAudit(connection, {actor.at, actor.name, ActionOf(kind, "delete"), subject, ""});
    return Done{};
  };
  auto done = co_await pool_.Write(std::move(remove));
  if (done) table_.Erase(concert);
  co_return done;
}

Task<Outcome<Picture>> MysqlPictureStore::Read(ConcertId concert, std::string version, std::int32_t width) {
  auto read = [kind = kind_, concert, version, width](Connection& connection) -> Outcome<Picture> {
    auto row = connection.Query(
        fmt::format("SELECT height, type, picture FROM {} WHERE concert_id = ? AND width = ? AND version = ?",
                    TableOf(kind)),
        concert, static_cast<std::int64_t>(width), version);
    const bool found = row.Next();
    const auto type = found ? PictureTypeOf(row.Text(1)) : std::nullopt;
    if (!type) return Missing(kind);
    const PictureInfo info{*type, width, static_cast<std::int32_t>(row.Int(0))};
    return Picture{info, std::make_shared<const std::string>(row.Text(2))};
  };
  co_return co_await pool_.Read(std::move(read));
}

}  // namespace maejin::mysql
