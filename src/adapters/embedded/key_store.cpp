#include "adapters/embedded/key_store.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace maejin::embedded {
namespace {

namespace fs = std::filesystem;

struct KeyKind {
  std::string_view prefix;
  std::string_view suffix;
};
constexpr KeyKind kMacKind{"mac-", ".key"};
constexpr KeyKind kPassKind{"pass-", ".pem"};

fs::path FileOf(const fs::path& folder, const KeyKind& kind, std::uint32_t number) {
  return folder / fmt::format("{}{}{}", kind.prefix, number, kind.suffix);
}

// The numbers of one kind's files, newest first.
std::vector<std::uint32_t> NumbersOf(const fs::path& folder, const KeyKind& kind) {
  std::vector<std::uint32_t> numbers;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const auto name = entry.path().filename().string();
    if (!name.starts_with(kind.prefix) || !name.ends_with(kind.suffix)) continue;
    const char* first = name.data() + kind.prefix.size();
    const char* last = name.data() + name.size() - kind.suffix.size();
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(first, last, number);
    if (error == std::errc{} && end == last) numbers.push_back(number);
  }
  std::sort(numbers.rbegin(), numbers.rend());
  if (numbers.size() > kKeysKept) numbers.resize(kKeysKept);
  return numbers;
}

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Waits until the file is on disk. If a key signed and was then lost, fans would lose their places.
bool WriteSecret(const fs::path& path, std::string_view text) {
  const auto fresh = path.string() + ".new";
  const int fd = open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  const bool written =
      write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fsync(fd) == 0;
  close(fd);
  if (!written || rename(fresh.c_str(), path.c_str()) != 0) return false;
  const int folder = open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = folder >= 0 && fsync(folder) == 0;
  if (folder >= 0) close(folder);
  return synced;
}

std::string NewMacKey(Random& random) {
  std::array<char, 32> bytes{};
  random.Fill(std::as_writable_bytes(std::span{bytes}));
  return EncodeBase64Url({bytes.data(), bytes.size()}) + "\n";
}

Result<Done, std::string> AddKeys(const fs::path& folder, Random& random) {
  const auto macs = NumbersOf(folder, kMacKind);
  const auto passes = NumbersOf(folder, kPassKind);
  const auto newest = std::max(macs.empty() ? 0U : macs.front(), passes.empty() ? 0U : passes.front());
  const auto number = newest + 1;
  if (!WriteSecret(FileOf(folder, kMacKind, number), NewMacKey(random)) ||
      !WriteSecret(FileOf(folder, kPassKind, number), SigningKey::Generate().ToPem())) {
    return fmt::format("cannot write a key to {}: {}", folder.string(), std::strerror(errno));
  }
  return Done{};
}

Result<std::unique_ptr<KeyRing::Keys>, std::string> ReadKeys(const fs::path& folder) {
  auto keys = std::make_unique<KeyRing::Keys>();
  for (const auto number : NumbersOf(folder, kMacKind)) {
    auto text = ReadFile(FileOf(folder, kMacKind, number));
    while (!text.empty() && text.back() == '\n') text.pop_back();
    const auto bytes = DecodeBase64Url(text);
    if (!bytes || bytes->size() < 32)
      return fmt::format("{} is no key", FileOf(folder, kMacKind, number).string());
    keys->macs.push_back({number, HmacSha256(*bytes)});
  }
  for (const auto number : NumbersOf(folder, kPassKind)) {
    auto key = SigningKey::FromPem(ReadFile(FileOf(folder, kPassKind, number)));
    if (!key) return fmt::format("{} is no P-256 key in PEM", FileOf(folder, kPassKind, number).string());
    keys->signer_ids.push_back(key->KeyId());
    keys->signers.push_back(std::move(*key));
  }
  return keys;
}

}  // namespace

bool HasKeys(const fs::path& folder) {
  return !NumbersOf(folder, kMacKind).empty() && !NumbersOf(folder, kPassKind).empty();
}

Result<std::unique_ptr<KeyRing>, std::string> OpenKeys(const fs::path& folder, Random& random) {
  std::error_code error;
  if (fs::create_directories(folder, error)) chmod(folder.c_str(), 0700);
  if (error) return fmt::format("cannot create the key folder {}: {}", folder.string(), error.message());
  if (!HasKeys(folder)) {
    const auto added = AddKeys(folder, random);
    if (!added.ok()) return added.error();
  }
  auto keys = ReadKeys(folder);
  if (!keys.ok()) return keys.error();
  return std::make_unique<KeyRing>(std::move(*keys));
}

Result<Done, std::string> RotateKeys(const fs::path& folder, Random& random, KeyRing& ring) {
  const auto added = AddKeys(folder, random);
  if (!added.ok()) return added.error();
  auto keys = ReadKeys(folder);
  if (!keys.ok()) return keys.error();
  ring.Install(std::move(*keys));
  return Done{};
}

}  // namespace maejin::embedded
