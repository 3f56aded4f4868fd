// The organiser's colour and logo on pages for fans.
//
// Pages are built with their own accent colour. If the server or a concert has another colour, its pages link
// a small stylesheet. The server makes the stylesheet from the colour in its file name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/color.h"
#include "base/result.h"
#include "domain/booking/picture.h"

namespace maejin::http {

// Colours of light or dark pages, as in web/src/lib/base.css.
struct PageScheme {
  Color background;  // of the page
  Color surface;     // of cards
  Color sunken;      // of fields and past rows
  Color away;        // an accent that cannot be read on the colours above is mixed with it
};
extern const PageScheme kLightScheme;
extern const PageScheme kDarkScheme;

// An accent that can be read on the scheme's backgrounds.
struct Accent {
  Color color;  // of text, borders and marks
  Color ink;    // of text on `color`
  Color soft;   // of areas; `color` can be read on it
};
// The wanted colour, made darker on light pages and lighter on dark ones, as far as needed.
Accent AccentOf(Color wanted, const PageScheme& scheme);
// Black or white text on a colour.
Color InkOn(Color color);

// A logo that was checked.
struct SiteLogo {
  PictureInfo info;
  std::shared_ptr<const std::string> bytes;
  std::string name;  // of its file, with the hash of its content: "logo-….png"
};
// The error says why these bytes are no logo.
Result<SiteLogo, std::string> MakeLogo(std::string bytes);
// The address of a logo, and its size in pixels.
struct ShownLogo {
  std::string url;
  std::int32_t width = 0;
  std::int32_t height = 0;
};
ShownLogo ShownOf(const SiteLogo& logo);
// The element that shows the logo; `name` is its text alternative.
std::string LogoElement(const ShownLogo& logo, std::string_view name);

// The element that links the stylesheet; without a colour it has the rules of the logo only.
std::string LookLink(std::optional<Color> color);
// The stylesheet of this name ("look.css", "look-ffcc00.css"). Absent: another name.
std::optional<std::string> LookStyle(std::string_view name);

}  // namespace maejin::http
