#include "adapters/embedded/poster_store.h"

#include <fmt/format.h>

#include "base/log.h"

namespace maejin::embedded {
namespace {

constexpr Sql kPutPicture{
    "INSERT OR REPLACE INTO posters (concert_id, width, height, version, type, picture) "
    "VALUES (?, ?, ?, ?, ?, ?)"};
constexpr Sql kDeletePosters{"DELETE FROM posters WHERE concert_id = ?"};

void AddPicture(WriteSet& rows, ConcertId concert, const std::string& version, const Picture& picture) {
  rows.Add(kPutPicture).Int(concert).Int(picture.info.width).Int(picture.info.height).Text(version);
  rows.Text(MediaType(picture.info.type)).Blob(*picture.bytes);
}

}  // namespace

EmbeddedPosterStore::EmbeddedPosterStore(const std::string& database, Journal& journal, AuditLog& audit)
    : journal_(journal), audit_(audit), reader_(database, Connection::Mode::kReadOnly) {
  PosterTable::Posters posters;
  auto rows = reader_.Prepare("SELECT concert_id, width, height, version FROM posters");
  while (rows.Step()) {
    const auto width = static_cast<std::int32_t>(rows.Int(1));
    const auto height = static_cast<std::int32_t>(rows.Int(2));
    PosterTable::AddRow(posters, rows.Int(0), std::string(rows.Text(3)), {PictureType::kJpeg, width, height});
  }
  table_.Replace(std::move(posters), table_.changes());
}

Task<Outcome<Done>> EmbeddedPosterStore::Put(ConcertId concert, std::string version, Picture picture,
                                             Operator actor) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    WriteSet rows;
    rows.Add(kDeletePosters).Int(concert);
    AddPicture(rows, concert, version, picture);
    const auto subject = fmt::format("concert {}", concert);
    const auto detail = Describe(picture);
    ticket = audit_.Append(rows, {actor.at, actor.name, "poster.put", subject, detail});
    table_.Put(concert, version, picture.info);
  }
  co_return co_await journal_.Committed(ticket);
}

Task<Outcome<Done>> EmbeddedPosterStore::PutCopy(ConcertId concert, std::string version, Picture picture) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    if (!table_.Has(concert, version)) co_return Refused{Refusal::kNotFound, "poster"};
    WriteSet rows;
    AddPicture(rows, concert, version, picture);
    ticket = journal_.Append(std::move(rows));
    table_.AddCopy(concert, version, picture.info);
  }
  co_return co_await journal_.Committed(ticket);
}

Task<Outcome<Done>> EmbeddedPosterStore::Remove(ConcertId concert, Operator actor) {
  if (!journal_.Accepting()) co_return Refusal::kUnavailable;
  Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    if (!table_.Find(concert)) co_return Done{};
    WriteSet rows;
    rows.Add(kDeletePosters).Int(concert);
    const auto subject = fmt::format("concert {}", concert);
    ticket = audit_.Append(rows, {actor.at, actor.name, "poster.delete", subject, ""});
    table_.Erase(concert);
  }
  co_return co_await journal_.Committed(ticket);
}

Task<Outcome<Picture>> EmbeddedPosterStore::Read(ConcertId concert, std::string version, std::int32_t width) {
  co_return ReadRow(concert, version, width);
}

Outcome<Picture> EmbeddedPosterStore::ReadRow(ConcertId concert, const std::string& version,
                                              std::int32_t width) {
  const std::lock_guard lock(reading_);
  try {
    auto row = reader_.Prepare(
        "SELECT height, type, picture FROM posters WHERE concert_id = ? AND width = ? AND version = ?");
    row.Bind(1, concert).Bind(2, static_cast<std::int64_t>(width)).Bind(3, std::string_view(version));
    if (!row.Step()) return Refused{Refusal::kNotFound, "poster"};
    const auto type = PictureTypeOf(row.Text(1));
    if (!type) return Refused{Refusal::kNotFound, "poster"};
    const PictureInfo info{*type, width, static_cast<std::int32_t>(row.Int(0))};
    return Picture{info, std::make_shared<const std::string>(row.Text(2))};
  } catch (const SqliteError& error) {
    LogError("a poster cannot be read: {}", error.what());
    return Refused(Refusal::kUnavailable);
  }
}

}  // namespace maejin::embedded
