#include "adapters/mysql/audit_mark.h"

#include <fstream>

#include <fmt/format.h>

#include "base/log.h"
#include "domain/audit_chain.h"

namespace maejin::mysql {

AuditMark::AuditMark(std::filesystem::path file, const KeyRing& keys) : file_(std::move(file)), keys_(keys) {
  std::ifstream in(file_);
  std::string word;
  if (!(in >> word >> id_ >> mac_) || word != "audit") id_ = 0;
}

std::optional<std::string> AuditMark::FindLoss(Connection& connection) const {
  if (id_ == 0) return std::nullopt;
  const auto advice =
      fmt::format("Restore the audit log. To continue with the present log, remove {}.", file_.string());
  auto row = connection.Query("SELECT hash FROM audit WHERE id = ?", id_);
  if (!row.Next()) return fmt::format("the audit log lacks row {}, which was committed. {}", id_, advice);
  if (IsAuditMac(keys_, id_, row.Text(0), mac_)) return std::nullopt;
  return fmt::format("the audit log was changed up to row {}, or the keys were replaced. {}", id_, advice);
}

void AuditMark::Follow(Connection& connection) {
  // If the operator removed the file, the next mark is the end of the log.
  if (id_ != 0 && !std::filesystem::exists(file_)) id_ = 0;
  std::int64_t id = 0;
  std::string hash;
  {
    auto head = connection.Query("SELECT last_id, last_hash FROM audit_head WHERE one = 1");
    if (!head.Next()) return;
    id = head.Int(0);
    hash = head.Text(1);
  }
  if (id == id_ || id == 0) return;
  if (const auto loss = FindLoss(connection)) {
    if (!reported_) LogError("database: {}", *loss);
    reported_ = true;
    return;
  }
  Write(id, hash);
}

void AuditMark::Write(std::int64_t id, const std::string& hash) {
  const auto mac = AuditMac(keys_, id, hash);
  const auto fresh = file_.string() + ".new";
  std::error_code error;
  {
    std::ofstream out(fresh, std::ios::trunc);
    out << fmt::format("audit {} {}\n", id, mac);
    if (!out.flush()) error = std::make_error_code(std::errc::io_error);
  }
  if (!error) std::filesystem::rename(fresh, file_, error);
  if (error) {
    if (!reported_) LogError("cannot write {}: {}", file_.string(), error.message());
    reported_ = true;
    return;
  }
  id_ = id;
  mac_ = mac;
  reported_ = false;
}

}  // namespace maejin::mysql
