// Operators' keys in memory, by digest: both stores answer Find() from this table. Thread-safe.
#pragma once

#include <cstring>
#include <map>
#include <shared_mutex>
#include <vector>

#include "store/operator_key_store.h"

namespace maejin {

class OperatorKeyTable {
 public:
  using Keys = std::map<Digest, OperatorKey>;

  std::optional<OperatorKey> Find(const Digest& digest, Time now) const;
  // The oldest first.
  std::vector<OperatorKey> List() const;
  std::size_t size() const;
  // False: there is no such key.
  bool Has(const std::string& id) const;

  void Put(const Digest& digest, OperatorKey key);
  void Erase(const std::string& id);

  // Changes with every Put and Erase.
  std::uint64_t version() const;
  // Replaces the table with keys from the database. `version`: version() before that read. If the table has
  // changed since, nothing happens: the next read has the change.
  void Replace(Keys keys, std::uint64_t version);

 private:
  mutable std::shared_mutex mutex_;
  Keys keys_;                  // guarded by mutex_
  std::uint64_t version_ = 0;  // guarded by mutex_
};

// The audit rows' details: {"name":"…","role":"viewer","expiresAt":null}
std::string Describe(const OperatorKey& key);

}  // namespace maejin
