#include "adapters/embedded/picture_store.h"

#include <fmt/format.h>

#include "base/log.h"

namespace maejin::embedded {
namespace {

constexpr Sql kPutPoster{
    "INSERT OR REPLACE INTO posters (concert_id, width, height, version, type, picture) "
    "VALUES (?, ?, ?, ?, ?, ?)"};
constexpr Sql kDeletePosters{"DELETE FROM posters WHERE concert_id = ?"};
constexpr Sql kPutLogo{
    "INSERT OR REPLACE INTO logos (concert_id, width, height, version, type, picture) "
    "VALUES (?, ?, ?, ?, ?, ?)"};
constexpr Sql kDeleteLogos{"DELETE FROM logos WHERE concert_id = ?"};

// The tables have the same columns.
const char* TableOf(PictureKind kind) { return kind == PictureKind::kLogo ? "logos" : "posters"; }
const Sql& DeleteOf(PictureKind kind) { return kind == PictureKind::kLogo ? kDeleteLogos : kDeletePosters; }

std::string ActionOf(PictureKind kind, const char* verb) { return fmt::format("{}.{}", Name(kind), verb); }
Refused Missing(PictureKind kind) { return Refused{Refusal::kNotFound, std::string(Name(kind))}; }

void AddPicture(WriteSet& rows, PictureKind kind, ConcertId concert, const std::string& version,
                const Picture& picture) {
  const auto& put = kind == PictureKind::kLogo ? kPutLogo : kPutPoster;
  rows.Add(put).Int(concert).Int(picture.info.width).Int(picture.info.height).Text(version);
  rows.Text(MediaType(picture.info.type)).Blob(*picture.bytes);
}

}  // namespace

EmbeddedPictureStore::EmbeddedPictureStore(PictureKind kind, const std::string& database, Journal& journal,
                                           AuditLog& audit)
    : kind_(kind), journal_(journal), audit_(audit), reader_(database, Connection::Mode::kReadOnly) {
  PictureTable::Pictures pictures;
  auto rows =
      reader_.Prepare(fmt::format("SELECT concert_id, width, height, version FROM {}", TableOf(kind)));
  while (rows.Step()) {
    const auto width = static_cast<std::int32_t>(rows.Int(1));
    const auto height = static_cast<std::int32_t>(rows.Int(2));
    PictureTable::AddRow(pictures, rows.Int(0), std::string(rows.Text(3)),
                         {PictureType::kJpeg, width, height});
  }
  table_.Replace(std::move(pictures), table_.changes());
}

Task<Outcome<Done>> EmbeddedPictureStore::Put(ConcertId concert, std::string version, Picture picture,
                                              Operator actor) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    WriteSet rows;
    rows.Add(DeleteOf(kind_)).Int(concert);
    AddPicture(rows, kind_, concert, version, picture);
    const auto subject = fmt::format("concert {}", concert);
    const auto detail = Describe(picture);
    ticket = audit_.Append(rows, {actor.at, actor.name, ActionOf(kind_, "put"), subject, detail});
    table_.Put(concert, version, picture.info);
  }
  co_return co_await journal_.Committed(ticket);
}

Task<Outcome<Done>> EmbeddedPictureStore::PutCopy(ConcertId concert, std::string version, Picture picture) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    if (!table_.Has(concert, version)) co_return Missing(kind_);
    WriteSet rows;
    AddPicture(rows, kind_, concert, version, picture);
    ticket = journal_.Append(std::move(rows));
    table_.AddCopy(concert, version, picture.info);
  }
  co_return co_await journal_.Committed(ticket);
}

Task<Outcome<Done>> EmbeddedPictureStore::Remove(ConcertId concert, Operator actor) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    if (!table_.Find(concert)) co_return Done{};
    WriteSet rows;
    rows.Add(DeleteOf(kind_)).Int(concert);
    const auto subject = fmt::format("concert {}", concert);
    ticket = audit_.Append(rows, {actor.at, actor.name, ActionOf(kind_, "delete"), subject, ""});
    table_.Erase(concert);
  }
  co_return co_await journal_.Committed(ticket);
}

Task<Outcome<Picture>> EmbeddedPictureStore::Read(ConcertId concert, std::string version,
                                                  std::int32_t width) {
  co_return ReadRow(concert, version, width);
}

Outcome<Picture> EmbeddedPictureStore::ReadRow(ConcertId concert, const std::string& version,
                                               std::int32_t width) {
  const std::lock_guard lock(reading_);
  try {
    auto row = reader_.Prepare(
        fmt::format("SELECT height, type, picture FROM {} WHERE concert_id = ? AND width = ? AND version = ?",
                    TableOf(kind_)));
    row.Bind(1, concert).Bind(2, static_cast<std::int64_t>(width)).Bind(3, std::string_view(version));
    if (!row.Step()) return Missing(kind_);
    const auto type = PictureTypeOf(row.Text(1));
    if (!type) return Missing(kind_);
    const PictureInfo info{*type, width, static_cast<std::int32_t>(row.Int(0))};
    return Picture{info, std::make_shared<const std::string>(row.Text(2))};
  } catch (const SqliteError& error) {
    LogError("a {} cannot be read: {}", Name(kind_), error.what());
    return Refused(Refusal::kUnavailable);
  }
}

}  // namespace maejin::embedded
