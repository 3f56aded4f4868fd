#include "http/coding.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <stdexcept>

#include <brotli/encode.h>
#include <zlib.h>

#include "base/ascii.h"
#include "http/entity_tag.h"

namespace maejin::http {
namespace {

constexpr int kGzipFormat = 16 + MAX_WBITS;
constexpr int kGzipMemory = 8;

std::atomic<std::uint64_t> compressions{0};

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// The weight of ";q=0.5" in thousandths; 1000 if there is none. 0, which excludes the coding, if the weight
// is invalid.
int WeightOf(std::string_view parameters) {
  parameters = Trimmed(parameters);
  if (parameters.empty()) return 1000;
  if (parameters.starts_with(';')) parameters = Trimmed(parameters.substr(1));
  if (parameters.size() < 3 || (parameters[0] != 'q' && parameters[0] != 'Q') || parameters[1] != '=')
    return 0;
  parameters.remove_prefix(2);
  if (parameters[0] == '1') return 1000;
  if (parameters[0] != '0') return 0;
  int weight = 0;
  int unit = 100;
  for (const char c : parameters.substr(1, 4)) {
    if (c == '.') continue;
    if (!IsDigit(c)) return 0;
    weight += (c - '0') * unit;
    unit /= 10;
  }
  return weight;
}

std::string Gzip(std::string_view text, int level) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, kGzipFormat, kGzipMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib does not write to it
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int ended = deflate(&stream, Z_FINISH);
  const auto size = stream.total_out;
  deflateEnd(&stream);
  if (ended != Z_STREAM_END) throw std::runtime_error("zlib did not compress a text");
  out.resize(size);
  return out;
}

std::string Brotli(std::string_view text, int quality) {
  auto size = BrotliEncoderMaxCompressedSize(text.size());
  std::string out(size, '\0');
  const auto done = BrotliEncoderCompress(quality, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_TEXT, text.size(),
                                          reinterpret_cast<const std::uint8_t*>(text.data()), &size,
                                          reinterpret_cast<std::uint8_t*>(out.data()));
  if (done != BROTLI_TRUE) throw std::bad_alloc();
  out.resize(size);
  return out;
}

}  // namespace

std::string_view Name(Coding coding) {
  if (coding == Coding::kIdentity) return {};
  return coding == Coding::kGzip ? "gzip" : "br";
}

Coding AcceptedCoding(std::string_view accept_encoding) {
  int gzip = -1, brotli = -1, any = 0;
  while (!accept_encoding.empty()) {
    const auto end = std::min(accept_encoding.find(','), accept_encoding.size());
    const auto part = Trimmed(accept_encoding.substr(0, end));
    accept_encoding.remove_prefix(std::min(end + 1, accept_encoding.size()));
    const auto mark = std::min(part.find(';'), part.size());
    const auto name = Trimmed(part.substr(0, mark));
    const int weight = WeightOf(part.substr(mark));
    if (name == "br") brotli = weight;
    if (name == "gzip" || name == "x-gzip") gzip = weight;
    if (name == "*") any = weight;
  }
  if (gzip < 0) gzip = any;
  if (brotli < 0) brotli = any;
  if (brotli > 0 && brotli >= gzip) return Coding::kBrotli;
  return gzip > 0 ? Coding::kGzip : Coding::kIdentity;
}

std::string Compress(std::string_view text, Coding coding, Effort effort) {
  const bool fast = effort == Effort::kFast;
  compressions.fetch_add(1, std::memory_order_relaxed);
  std::string out = coding == Coding::kGzip ? Gzip(text, fast ? 1 : 9) : Brotli(text, fast ? 2 : 9);
  out.shrink_to_fit();
  return out;
}

std::uint64_t Compressions() { return compressions.load(std::memory_order_relaxed); }

CodedText::CodedText(std::string_view text)
    : text_(std::make_shared<const std::string>(text)), tag_(ContentTag(text)) {}

void CodedText::Give(const Request& request, Response& response) const {
  const auto coding = AcceptedCoding(request.Header("Accept-Encoding"));
  response.AddHeader("Vary", "Accept-Encoding");
  response.AddHeader("ETag", coding == Coding::kIdentity ? tag_ : WeakTag(tag_));
  if (MatchesTag(request.Header("If-None-Match"), tag_)) {
    response.status = 304;
    return;
  }
  response.shared_body = text_;
  if (coding == Coding::kIdentity) return;
  response.AddHeader("Content-Encoding", Name(coding));
  const std::lock_guard lock(mutex_);
  auto& coded = coded_[static_cast<std::size_t>(coding)];
  if (!coded) coded = std::make_shared<const std::string>(Compress(*text_, coding, Effort::kSmall));
  response.shared_body = coded;
}

}  // namespace maejin::http
