// A chunked body decodes to the same bytes however it is split into reads, and what was encoded comes back.
#include <fmt/format.h>

#include "server/chunked.h"
#include "tests/fuzz/fuzz_input.h"

namespace {

using maejin::fuzz::Must;
using maejin::http::ChunkDecoder;

struct Decoded {
  std::string body;
  std::size_t consumed = 0;
  ChunkDecoder::State state = ChunkDecoder::State::kMore;
};

// Feeds pieces of `step` bytes.
Decoded DecodeInSteps(const std::string& text, std::size_t step) {
  Decoded out;
  ChunkDecoder decoder;
  while (out.consumed < text.size() && out.state == ChunkDecoder::State::kMore) {
    auto piece = text.substr(out.consumed, step);
    const auto taken = decoder.Decode(piece.data(), piece.size(), piece.data());
    Must(taken.produced <= taken.consumed && taken.consumed <= piece.size());
    out.body.append(piece, 0, taken.produced);
    out.consumed += taken.consumed;
    out.state = taken.state;
    if (out.state == ChunkDecoder::State::kMore) Must(taken.consumed == piece.size());
  }
  return out;
}

void CompareSplits(const std::string& text) {
  const auto whole = DecodeInSteps(text, text.size() + 1);
  for (const std::size_t step : {std::size_t{1}, std::size_t{2}, std::size_t{7}}) {
    const auto split = DecodeInSteps(text, step);
    Must(split.state == whole.state);
    if (split.state == ChunkDecoder::State::kMalformed) continue;
    Must(split.body == whole.body && split.consumed == whole.consumed);
  }
}

void RoundTrip(maejin::fuzz::Input input) {
  std::string body;
  std::string text;
  while (!input.empty()) {
    const auto chunk = input.Text();
    if (chunk.empty()) continue;
    body += chunk;
    text += fmt::format("{:x}\r\n", chunk.size());
    text += chunk + "\r\n";
  }
  const auto decoded = DecodeInSteps(text + "0\r\n\r\n", 3);
  Must(decoded.state == ChunkDecoder::State::kDone && decoded.body == body);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 8192) return 0;
  CompareSplits(std::string(reinterpret_cast<const char*>(data), size));
  RoundTrip({data, size});
  return 0;
}
