// QR codes as SVG.
#pragma once

#include <string>
#include <string_view>

namespace maejin::http {

// Black on white whatever the page's colours are, with the quiet zone that readers need. Precondition: the text
// has at most 1,000 bytes.
std::string QrSvg(std::string_view text);

}  // namespace maejin::http
