#include "cli/sandbox/sandbox_bank.h"

#include <fmt/format.h>
#include <boost/json.hpp>

#include "base/json_writer.h"

namespace maejin::cli {
namespace {

// Absent if a crash truncated the last row: that change was never acknowledged.
std::optional<SandboxCharge> ReadCharge(const std::string& line) {
  try {
    const auto value = boost::json::parse(line);
    SandboxCharge charge;
    charge.key = value.at("key").as_string();
    charge.amount = value.at("amount").as_int64();
    charge.method = value.at("method").as_string();
    charge.status = value.at("status").as_string();
    charge.captures = value.at("captures").as_int64();
    charge.refunds = value.at("refunds").as_int64();
    return charge;
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace

void WriteCharge(std::string& out, const SandboxCharge& charge) {
  JsonWriter json(out);
  json.Object([&] {
    json.Field("key", charge.key);
    json.Field("amount", charge.amount);
    json.Field("method", charge.method);
    json.Field("status", charge.status);
    json.Field("captures", charge.captures);
    json.Field("refunds", charge.refunds);
  });
}

Result<std::unique_ptr<SandboxBank>, std::string> SandboxBank::Open(const std::string& file) {
  auto bank = std::make_unique<SandboxBank>();
  if (file.empty()) return bank;
  std::ifstream lines(file);
  bank->Load(lines);
  bank->file_.open(file, std::ios::app);
  if (!bank->file_) return fmt::format("cannot write the ledger {}", file);
  return bank;
}

void SandboxBank::Load(std::istream& lines) {
  std::string line;
  while (std::getline(lines, line)) {
    if (auto charge = ReadCharge(line)) charges_[charge->key] = *charge;
  }
}

void SandboxBank::Write(const SandboxCharge& charge) {
  if (!file_.is_open()) return;
  std::string line;
  WriteCharge(line, charge);
  file_ << line << std::endl;
}

std::optional<SandboxCharge> SandboxBank::Charge(const std::string& key, std::int64_t amount,
                                                 const std::string& method, bool decline) {
  const std::lock_guard lock(mutex_);
  auto& charge = charges_[key];
  if (charge.status.empty()) {
    charge = {key, amount, method, decline ? "DECLINED" : "CAPTURED", decline ? 0 : 1, 0};
    Write(charge);
  } else if (charge.status != "VOIDED" && charge.amount != amount) {
    return {};
  }
  return charge;
}

std::optional<SandboxCharge> SandboxBank::Find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = charges_.find(key);
  if (found == charges_.end()) return {};
  return found->second;
}

SandboxCharge SandboxBank::Refund(const std::string& key) {
  const std::lock_guard lock(mutex_);
  auto& charge = charges_[key];
  if (charge.status.empty()) {
    charge = {key, 0, "", "VOIDED", 0, 0};
    Write(charge);
  } else if (charge.status == "CAPTURED") {
    charge.status = "REFUNDED";
    ++charge.refunds;
    Write(charge);
  }
  return charge;
}

std::vector<SandboxCharge> SandboxBank::All() const {
  const std::lock_guard lock(mutex_);
  std::vector<SandboxCharge> all;
  all.reserve(charges_.size());
  for (const auto& [key, charge] : charges_) all.push_back(charge);
  return all;
}

}  // namespace maejin::cli
