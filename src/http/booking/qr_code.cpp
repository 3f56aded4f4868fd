#include "http/booking/qr_code.h"

#include <memory>

#include <fmt/format.h>
#include <qrencode.h>

#include "base/check.h"

namespace maejin::http {
namespace {

constexpr int kQuietZone = 4;

struct FreeCode {
  void operator()(QRcode* code) const { QRcode_free(code); }
};

}  // namespace

std::string QrSvg(std::string_view text) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  // A code of level M can be read although 15 % of it is damaged: screens are scratched, paper is folded.
  const std::unique_ptr<QRcode, FreeCode> code(
      QRcode_encodeData(static_cast<int>(text.size()), bytes, 0, QR_ECLEVEL_M));
  MAEJIN_CHECK(code != nullptr, "a short text has a QR code");
  const int width = code->width;
  const int side = width + 2 * kQuietZone;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {0}\" shape-rendering=\"crispEdges\">"
      "<path fill=\"#fff\" d=\"M0 0h{0}v{0}H0z\"/><path fill=\"#000\" d=\"",
      side);
  // One rectangle for each run of dark modules in a row.
  const auto dark = [&](int x, int y) { return x < width && (code->data[y * width + x] & 1) != 0; };
  for (int y = 0; y < width; ++y) {
    for (int x = 0; x < width; ++x) {
      int run = 0;
      while (dark(x + run, y)) ++run;
      if (run == 0) continue;
      svg += fmt::format("M{} {}h{}v1h-{}z", x + kQuietZone, y + kQuietZone, run, run);
      x += run;
    }
  }
  return svg + "\"/></svg>";
}

}  // namespace maejin::http
