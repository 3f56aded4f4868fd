// Decodes a chunked body (RFC 9112, 7.1), as strictly as the head is parsed: CR LF only, no spaces around the
// size. Extensions and trailers are parsed and ignored, within limits.
#pragma once

#include <cstdint>
#include <string_view>

namespace maejin::http {

class ChunkDecoder {
 public:
  enum class State : std::uint8_t { kMore, kDone, kMalformed };

  // Decodes in place: moves the body bytes of [data, data + size) to `out` (at or before `data`).
  // `consumed`: bytes of framing and body that were read. `produced`: bytes of body that were written.
  struct Step {
    State state = State::kMore;
    std::size_t consumed = 0;
    std::size_t produced = 0;
  };
  Step Decode(const char* data, std::size_t size, char* out);

  void Reset() { *this = ChunkDecoder{}; }

 private:
  enum class At : std::uint8_t {
    kSize,
    kExtension,
    kSizeLf,
    kData,
    kDataCr,
    kDataLf,
    kTrailer,
    kTrailerName,
    kTrailerLine,
    kTrailerLf,
    kEndLf,
    kEnd
  };
  // Parses one byte of framing. False: the framing is malformed.
  bool Frame(char c);
  bool SizeDigit(char c);

  std::uint64_t left_ = 0;   // bytes of the current chunk that are not decoded yet
  std::uint32_t spent_ = 0;  // bytes of extensions and trailers
  std::uint8_t digits_ = 0;
  At at_ = At::kSize;
};

}  // namespace maejin::http
