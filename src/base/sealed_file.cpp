#include "base/sealed_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <unistd.h>

#include "base/big_endian.h"
#include "base/bytes.h"

namespace maejin {
namespace {

constexpr std::size_t kChunk = 1 << 18;
constexpr std::size_t kTag = 16;
constexpr std::size_t kSalt = 16;
constexpr std::size_t kLongestHeader = 200;
constexpr std::uint32_t kLastBit = 0x80000000U;
constexpr std::string_view kPlain = "plain";
constexpr std::string_view kSealed = "aes-256-gcm ";

using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

// Every file has a key of its own, so that a nonce can be the number of the chunk.
std::string FileKeyOf(std::string_view secret, std::string_view salt) {
  return std::string(AsText(HmacSha256(secret).Mac("maejin sealed file\n" + std::string(salt))));
}

// Encrypts or decrypts one chunk; `tag` is written or compared. The header and the length are authenticated.
bool Transform(bool encrypt, const std::string& key, std::uint64_t number, const std::string& bound,
               std::string& bytes, std::string& tag) {
  const CipherContext context(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  const auto nonce = BigEndianNumber(number, 12);
  const auto kind = encrypt ? 1 : 0;
  int size = 0;
  if (EVP_CipherInit_ex(context.get(), EVP_aes_256_gcm(), nullptr, Bytes(key), Bytes(nonce), kind) != 1)
    return false;
  if (EVP_CipherUpdate(context.get(), nullptr, &size, Bytes(bound), static_cast<int>(bound.size())) != 1)
    return false;
  if (EVP_CipherUpdate(context.get(), Bytes(bytes), &size, Bytes(bytes), static_cast<int>(bytes.size())) != 1)
    return false;
  if (!encrypt && EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_SET_TAG, kTag, tag.data()) != 1)
    return false;
  unsigned char rest[kTag];
  if (EVP_CipherFinal_ex(context.get(), rest, &size) != 1) return false;
  tag.resize(kTag);
  return !encrypt || EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_GCM_GET_TAG, kTag, tag.data()) == 1;
}

std::string ErrorOf(std::string_view doing, const std::string& path) {
  return fmt::format("cannot {} {}: {}", doing, path, std::strerror(errno));
}

std::string Damaged(const std::string& path) {
  return fmt::format("{} is damaged: its checksum is wrong", path);
}

std::shared_ptr<std::FILE> OpenToRead(const std::filesystem::path& path) {
  std::FILE* file = std::fopen(path.c_str(), "rbe");
  return {file, [](std::FILE* open) {
            if (open) std::fclose(open);
          }};
}

// The header without its line break; empty: the file has another title.
std::string ReadHeader(std::FILE* file, std::string_view title) {
  std::string header;
  for (int c = std::fgetc(file); c != '\n'; c = std::fgetc(file)) {
    if (c == EOF || header.size() == kLongestHeader) return {};
    header += static_cast<char>(c);
  }
  return header.starts_with(title) ? header : std::string();
}

}  // namespace

RunningDigest::RunningDigest() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
  EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
}
void RunningDigest::Add(std::string_view bytes) {
  EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size());
}
Digest RunningDigest::Finish() {
  Digest digest{};
  EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr);
  return digest;
}

FileResult<SealedWriter> SealedWriter::Create(const std::filesystem::path& path, std::string_view title,
                                              std::string_view secret, Random& random) {
  SealedWriter writer;
  writer.path_ = path.string();
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return ErrorOf("write", writer.path_);
  writer.file_ = {fdopen(fd, "wb"), [](std::FILE* open) {
                    if (open) std::fclose(open);
                  }};
  writer.header_ = fmt::format("{} {}", title, kPlain);
  if (!secret.empty()) {
    std::array<std::byte, kSalt> salt{};
    random.Fill(salt);
    const auto text = EncodeBase64Url({reinterpret_cast<const char*>(salt.data()), salt.size()});
    writer.key_ = FileKeyOf(secret, text);
    writer.header_ = fmt::format("{} {}{}", title, kSealed, text);
  }
  const auto put = writer.Put(writer.header_ + "\n");
  if (!put) return put.error();
  return writer;
}

FileResult<Done> SealedWriter::Put(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) return ErrorOf("write", path_);
  digest_.Add(bytes);
  size_ += bytes.size();
  return Done{};
}

FileResult<Done> SealedWriter::WriteChunk(bool last) {
  const auto length = BigEndianNumber(pending_.size() | (last ? kLastBit : 0), 4);
  std::string tag;
  if (!key_.empty() && !Transform(true, key_, chunks_, header_ + length, pending_, tag))
    return fmt::format("cannot encrypt {}", path_);
  ++chunks_;
  const auto put = Put(length + pending_ + tag);
  pending_.clear();
  return put;
}

FileResult<Done> SealedWriter::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto taken = std::min(bytes.size(), kChunk - pending_.size());
    pending_ += bytes.substr(0, taken);
    bytes.remove_prefix(taken);
    if (pending_.size() < kChunk) continue;
    const auto written = WriteChunk(false);
    if (!written) return written;
  }
  return Done{};
}

FileResult<std::uint64_t> SealedWriter::Finish() {
  const auto written = WriteChunk(true);
  if (!written) return written.error();
  const auto digest = digest_.Finish();
  if (std::fwrite(digest.data(), 1, digest.size(), file_.get()) != digest.size() ||
      std::fflush(file_.get()) != 0 || fdatasync(fileno(file_.get())) != 0)
    return ErrorOf("write", path_);
  return size_ + digest.size();
}

FileResult<Done> SealedReader::Check(const std::filesystem::path& path, std::string_view title) {
  const auto file = OpenToRead(path);
  if (!file) return ErrorOf("read", path.string());
  if (ReadHeader(file.get(), title).empty()) return fmt::format("{} is not a {} file", path.string(), title);
  std::rewind(file.get());
  RunningDigest digest;
  // The last 32 bytes read so far are held back: they are the checksum if the file ends with them.
  std::string held;
  std::string buffer(kChunk, '\0');
  while (const auto size = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    held.append(buffer, 0, size);
    if (held.size() <= sizeof(Digest)) continue;
    digest.Add(std::string_view(held).substr(0, held.size() - sizeof(Digest)));
    held.erase(0, held.size() - sizeof(Digest));
  }
  if (std::ferror(file.get()) != 0) return ErrorOf("read", path.string());
  if (held != AsText(digest.Finish())) return Damaged(path.string());
  return Done{};
}

FileResult<SealedReader> SealedReader::Open(const std::filesystem::path& path, std::string_view title,
                                            std::string_view secret) {
  const auto checked = Check(path, title);
  if (!checked) return checked.error();
  SealedReader reader;
  reader.path_ = path.string();
  reader.file_ = OpenToRead(path);
  if (!reader.file_) return ErrorOf("read", reader.path_);
  reader.header_ = ReadHeader(reader.file_.get(), title);
  const auto kind =
      std::string_view(reader.header_).substr(std::min(reader.header_.size(), title.size() + 1));
  if (kind == kPlain) return reader;
  if (!kind.starts_with(kSealed)) return fmt::format("{} is of a newer maejin", reader.path_);
  if (secret.empty()) return fmt::format("{} is encrypted: give backup.key-file", reader.path_);
  reader.key_ = FileKeyOf(secret, kind.substr(kSealed.size()));
  return reader;
}

FileResult<Done> SealedReader::ReadChunk() {
  std::string length(4, '\0');
  if (last_ || std::fread(length.data(), 1, length.size(), file_.get()) != length.size())
    return Damaged(path_);
  auto number = static_cast<std::uint32_t>(NumberOfBigEndian(length));
  last_ = (number & kLastBit) != 0;
  number &= ~kLastBit;
  if (number > kChunk) return Damaged(path_);
  chunk_.resize(number);
  used_ = 0;
  std::string tag(encrypted() ? kTag : 0, '\0');
  if (std::fread(chunk_.data(), 1, number, file_.get()) != number ||
      std::fread(tag.data(), 1, tag.size(), file_.get()) != tag.size())
    return Damaged(path_);
  if (encrypted() && !Transform(false, key_, chunks_, header_ + length, chunk_, tag))
    return fmt::format("{} cannot be decrypted with this key", path_);
  ++chunks_;
  return Done{};
}

FileResult<Done> SealedReader::Read(std::size_t size, std::string& out) {
  while (size > 0) {
    if (used_ == chunk_.size()) {
      const auto read = ReadChunk();
      if (!read) return read;
      continue;
    }
    const auto taken = std::min(size, chunk_.size() - used_);
    out.append(chunk_, used_, taken);
    used_ += taken;
    size -= taken;
  }
  return Done{};
}

}  // namespace maejin
