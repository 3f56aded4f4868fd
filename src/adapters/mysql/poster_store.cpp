#include "adapters/mysql/poster_store.h"

#include <fmt/format.h>

#include "adapters/mysql/audit_log.h"

namespace maejin::mysql {
namespace {

void InsertPicture(Connection& connection, ConcertId concert, const std::string& version,
                   const Picture& picture) {
  connection.Execute(
      "REPLACE INTO posters (concert_id, width, height, version, type, picture) VALUES (?, ?, ?, ?, ?, ?)",
      concert, static_cast<std::int64_t>(picture.info.width), static_cast<std::int64_t>(picture.info.height),
      version, MediaType(picture.info.type), Value::Bytes(*picture.bytes));
}

}  // namespace

void MysqlPosterStore::Refresh(Connection& connection) {
  const auto changes = table_.changes();
  PosterTable::Posters posters;
  auto rows = connection.Query("SELECT concert_id, width, height, version FROM posters");
  while (rows.Next()) {
    const auto width = static_cast<std::int32_t>(rows.Int(1));
    const auto height = static_cast<std::int32_t>(rows.Int(2));
    PosterTable::AddRow(posters, rows.Int(0), std::string(rows.Text(3)), {PictureType::kJpeg, width, height});
  }
  table_.Replace(std::move(posters), changes);
}

// A repeated attempt writes the same rows again.
Task<Outcome<Done>> MysqlPosterStore::Put(ConcertId concert, std::string version, Picture picture,
                                          Operator actor) {
  auto put = [concert, version, picture, actor = std::move(actor)](Connection& connection,
                                                                   const Attempt& attempt) -> Outcome<Done> {
    if (attempt.commit_unknown) {
      auto before = connection.Query("SELECT 1 FROM posters WHERE concert_id = ? AND version = ? FOR UPDATE",
                                     concert, version);
      if (before.Next()) return Done{};
    }
    connection.Execute("DELETE FROM posters WHERE concert_id = ?", concert);
    InsertPicture(connection, concert, version, picture);
    const auto subject = fmt::format("concert {}", concert);
    const auto detail = Describe(picture);
    AppendAudit(connection, {actor.at, actor.name, "poster.put", subject, detail});
    return Done{};
  };
  const auto info = picture.info;
  auto done = co_await pool_.Write(std::move(put));
  if (done) table_.Put(concert, version, info);
  co_return done;
}

Task<Outcome<Done>> MysqlPosterStore::PutCopy(ConcertId concert, std::string version, Picture picture) {
  auto put = [concert, version, picture](Connection& connection, const Attempt&) -> Outcome<Done> {
    {
      auto poster = connection.Query("SELECT 1 FROM posters WHERE concert_id = ? AND version = ? FOR UPDATE",
                                     concert, version);
      if (!poster.Next()) return Refused{Refusal::kNotFound, "poster"};
    }
    InsertPicture(connection, concert, version, picture);
    return Done{};
  };
  const auto info = picture.info;
  auto done = co_await pool_.Write(std::move(put));
  if (done) table_.AddCopy(concert, version, info);
  co_return done;
}

Task<Outcome<Done>> MysqlPosterStore::Remove(ConcertId concert, Operator actor) {
  auto remove = [concert, actor = std::move(actor)](Connection& connection, const Attempt&) -> Outcome<Done> {
    const auto removed = connection.Execute("DELETE FROM posters WHERE concert_id = ?", concert);
    if (removed == 0) return Done{};
    const auto subject = fmt::format("concert {}", concert);
    AppendAudit(connection, {actor.at, actor.name, "poster.delete", subject, ""});
    return Done{};
  };
  auto done = co_await pool_.Write(std::move(remove));
  if (done) table_.Erase(concert);
  co_return done;
}

Task<Outcome<Picture>> MysqlPosterStore::Read(ConcertId concert, std::string version, std::int32_t width) {
  auto read = [concert, version, width](Connection& connection) -> Outcome<Picture> {
    auto row = connection.Query(
        "SELECT height, type, picture FROM posters WHERE concert_id = ? AND width = ? AND version = ?",
        concert, static_cast<std::int64_t>(width), version);
    const bool found = row.Next();
    const auto type = found ? PictureTypeOf(row.Text(1)) : std::nullopt;
    if (!type) return Refused{Refusal::kNotFound, "poster"};
    const PictureInfo info{*type, width, static_cast<std::int32_t>(row.Int(0))};
    return Picture{info, std::make_shared<const std::string>(row.Text(2))};
  };
  co_return co_await pool_.Read(std::move(read));
}

}  // namespace maejin::mysql
