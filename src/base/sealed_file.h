// A file that is written in one pass: chunks, encrypted if a secret is given, then the SHA-256 of all bytes
// before it. The reader finds a changed, missing or added byte before it returns any content. With a secret,
// the tags of the chunks also reveal a forged file.
//
//   header line: the title, then "plain" or "aes-256-gcm <salt>"
//   chunks: length (4 bytes, big-endian, bit 31: the last one), bytes, and with a secret a tag of 16 bytes
//   32 bytes: SHA-256
//
// Not thread-safe.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/crypto.h"
#include "base/random.h"
#include "base/result.h"

struct evp_md_ctx_st;  // EVP_MD_CTX

namespace maejin {

// Errors are sentences for the operator.
template <class T>
using FileResult = Result<T, std::string>;

// SHA-256 of bytes that come in pieces.
class RunningDigest {
 public:
  RunningDigest();
  void Add(std::string_view bytes);
  Digest Finish();

 private:
  std::shared_ptr<evp_md_ctx_st> context_;
};

class SealedWriter {
 public:
  // Creates or replaces the file, mode 0600. `secret` empty: not encrypted.
  static FileResult<SealedWriter> Create(const std::filesystem::path& path, std::string_view title,
                                         std::string_view secret, Random& random);
  FileResult<Done> Write(std::string_view bytes);
  // Writes the last chunk and the checksum, and waits until the disk has them. Returns the size of the file.
  FileResult<std::uint64_t> Finish();

 private:
  SealedWriter() = default;
  FileResult<Done> WriteChunk(bool last);
  FileResult<Done> Put(std::string_view bytes);

  std::shared_ptr<std::FILE> file_;
  std::string path_;
  std::string key_;     // empty: not encrypted
  std::string header_;  // bound to every chunk
  std::string pending_;
  std::uint64_t chunks_ = 0;
  std::uint64_t size_ = 0;
  RunningDigest digest_;
};

class SealedReader {
 public:
  // Reads the whole file once and compares its checksum; then the content can be read. `secret`: that of the
  // writer; ignored if the file is not encrypted.
  static FileResult<SealedReader> Open(const std::filesystem::path& path, std::string_view title,
                                       std::string_view secret);
  // Compares only the checksum; needs no secret.
  static FileResult<Done> Check(const std::filesystem::path& path, std::string_view title);
  // Appends exactly `size` bytes to `out`.
  FileResult<Done> Read(std::size_t size, std::string& out);
  bool encrypted() const { return !key_.empty(); }

 private:
  SealedReader() = default;
  FileResult<Done> ReadChunk();

  std::shared_ptr<std::FILE> file_;
  std::string path_;
  std::string key_;
  std::string header_;
  std::string chunk_;
  std::size_t used_ = 0;  // of chunk_
  std::uint64_t chunks_ = 0;
  bool last_ = false;  // chunk_ is the last one
};

}  // namespace maejin
