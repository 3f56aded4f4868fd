#include "adapters/embedded/high_water.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "adapters/embedded/booking_rows.h"
#include "base/log.h"
#include "domain/audit_chain.h"

namespace maejin::embedded {
namespace {

constexpr char kTitle[] = "maejin high-water 1";
constexpr char kCounter[] = "high_water";

bool WriteFile(const std::filesystem::path& path, const std::string& text) {
  const auto fresh = path.string() + ".new";
  const int fd = open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  const bool written =
      write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fdatasync(fd) == 0;
  close(fd);
  return written && rename(fresh.c_str(), path.c_str()) == 0;
}

std::int64_t NumberIn(Connection& connection) {
  auto row = connection.Prepare("SELECT coalesce(max(value), 0) FROM booking_counters WHERE name = ?");
  row.Bind(1, std::string_view(kCounter));
  row.Step();
  return row.Int(0);
}

std::optional<std::string> AuditHashOf(Connection& connection, std::int64_t id) {
  auto row = connection.Prepare("SELECT hash FROM audit WHERE id = ?");
  row.Bind(1, id);
  if (!row.Step()) return std::nullopt;
  return std::string(row.Text(0));
}

}  // namespace

std::filesystem::path MarkFile(const std::filesystem::path& folder) { return folder / "high-water"; }

std::optional<Mark> ReadMark(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string title;
  if (!std::getline(in, title) || title != kTitle) return std::nullopt;
  Mark mark;
  std::int64_t time_ms = 0;
  std::string word;
  if (!(in >> word >> mark.number) || word != "number") return std::nullopt;
  if (!(in >> word >> time_ms) || word != "time") return std::nullopt;
  if (!(in >> word >> mark.audit.id >> mark.audit_mac) || word != "audit") return std::nullopt;
  mark.at = TimeFromMillis(time_ms);
  return mark;
}

Result<Done, std::string> CheckMark(const Mark& mark, const std::filesystem::path& file,
                                    Connection& connection, const KeyRing& keys) {
  const auto advice =
      fmt::format("Restore the missing file. To start without the missing data, remove {}.", file.string());
  if (const auto found = NumberIn(connection); found < mark.number) {
    return fmt::format(
        "the database lacks committed data (its mark is {}, expected {} or more): its write-ahead log or the "
        "database file was lost or replaced. {}",
        found, mark.number, advice);
  }
  if (mark.audit.id == 0) return Done{};
  const auto hash = AuditHashOf(connection, mark.audit.id);
  if (!hash) return fmt::format("the audit log lacks row {}, which was committed. {}", mark.audit.id, advice);
  if (!IsAuditMac(keys, mark.audit.id, *hash, mark.audit_mac))
    return fmt::format("the audit log was changed up to row {}, or the key folder was replaced. {}",
                       mark.audit.id, advice);
  return Done{};
}

HighWater::HighWater(Parts parts, std::filesystem::path file, const std::optional<Mark>& before)
    : parts_(parts), file_(std::move(file)), mark_(before.value_or(Mark{})) {
  Begin();
}

HighWater::~HighWater() {
  if (!parts_.journal.Accepting()) return;
  Begin();
  parts_.journal.Flush();
  Finish();
}

void HighWater::Tick() {
  Finish();
  if (next_) return;
  if (parts_.journal.Newest() > ticket_) {
    Begin();
  } else if (std::chrono::steady_clock::now() - written_at_ >= kMarkTimeEvery) {
    next_ = mark_;  // the same number, with a newer time
    Finish();
  }
}

void HighWater::Begin() {
  next_ = mark_;
  ++next_->number;
  // Reads the audit head before it appends the number. So the head's row is committed with the number or
  // earlier.
  next_->audit = parts_.audit.Head();
  next_->audit_mac = AuditMac(parts_.keys, next_->audit.id, next_->audit.hash);
  WriteSet rows;
  SetCounterRow(rows, kCounter, static_cast<std::uint64_t>(next_->number));
  ticket_ = parts_.journal.Append(rows);
}

void HighWater::Finish() {
  if (!next_ || !parts_.journal.IsCommitted(ticket_)) return;
  next_->at = parts_.clock.Now();
  const auto mac = next_->audit_mac.empty() ? std::string("-") : next_->audit_mac;
  const bool written =
      WriteFile(file_, fmt::format("{}\nnumber {}\ntime {}\naudit {} {}\n", kTitle, next_->number,
                                   ToMillis(next_->at), next_->audit.id, mac));
  if (!written && !failed_) LogError("cannot write {}: {}", file_.string(), std::strerror(errno));
  failed_ = !written;
  // The database has this number even if the file could not be written, so the next number must be higher.
  mark_ = *next_;
  next_.reset();
  written_at_ = std::chrono::steady_clock::now();
}

}  // namespace maejin::embedded
