#include "http/pages/site_look.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/crypto.h"
#include "http/pages/html_text.h"

namespace maejin::http {
namespace {

constexpr int kWholeShare = 64;
// An accent below kReadable is mixed until it has this contrast. It is above kReadable, so that the accent is
// not fainter than the text around it.
constexpr double kMovedTo = 5.5;
constexpr int kSoftShare = 8;  // 64ths of the accent in its soft colour

// In pixels of the page.
constexpr double kLogoHeight = 32;
constexpr double kLogoWidth = 128;

// On a phone the logo is small, so that the header is one text line. On a dark page it gets a white
// background, so that a dark logo is visible.
constexpr std::string_view kLogoRules =
    ".brand img{border-radius:4px;object-fit:contain}"
    "@media(max-width:440px){.brand img{height:auto;max-width:3.5rem}}";
constexpr std::string_view kDarkLogo = ".brand img{background:#fff;padding:3px}";

std::string Properties(const Accent& accent) {
  return fmt::format("--accent:{};--accent-ink:{};--accent-soft:{}", ToString(accent.color),
                     ToString(accent.ink), ToString(accent.soft));
}

std::string Suffix(PictureType type) {
  const auto media = MediaType(type);
  return std::string(media.substr(media.find('/') + 1));
}

// Applies a rule to dark pages: pages are dark by the device's setting, or by the switch in the header.
std::string InDark(std::string_view selector, std::string_view rule) {
  return fmt::format(
      "@media(prefers-color-scheme:dark){{:root:not([data-theme=light]){0}{1}}}"
      ":root[data-theme=dark]{0}{1}",
      selector, rule);
}

std::string AccentRules(Color color) {
  const auto light = Properties(AccentOf(color, kLightScheme));
  const auto dark = Properties(AccentOf(color, kDarkScheme));
  // Buttons have the colour itself; their border separates them from the page.
  return fmt::format(":root{{{}}}{}.primary{{background:{};color:{};border-color:var(--accent)}}", light,
                     InDark("", "{" + dark + "}"), ToString(color), ToString(InkOn(color)));
}

}  // namespace

const PageScheme kLightScheme{{0xfa, 0xf6, 0xf0}, {0xff, 0xff, 0xff}, {0xf3, 0xec, 0xe3}, kBlack};
const PageScheme kDarkScheme{{0x14, 0x11, 0x18}, {0x1e, 0x1a, 0x24}, {0x18, 0x14, 0x1d}, kWhite};

Color InkOn(Color color) { return Contrast(kWhite, color) >= kReadable ? kWhite : kBlack; }

Accent AccentOf(Color wanted, const PageScheme& scheme) {
  const auto contrast = [&](Color color) {
    return std::min({Contrast(color, scheme.background), Contrast(color, scheme.surface),
                     Contrast(color, scheme.sunken)});
  };
  int share = 0;
  if (contrast(wanted) < kReadable)
    while (share < kWholeShare && contrast(Mix(wanted, scheme.away, share)) < kMovedTo) ++share;
  Accent accent;
  accent.color = Mix(wanted, scheme.away, share);
  accent.ink = InkOn(accent.color);
  for (int tint = kSoftShare; tint >= 0; --tint) {
    accent.soft = Mix(scheme.surface, accent.color, tint);
    if (Contrast(accent.color, accent.soft) >= kReadable) break;
  }
  return accent;
}

Result<SiteLogo, std::string> MakeLogo(std::string bytes) {
  const auto info = ReadPictureHeader(bytes);
  if (!info)
    return std::string("must be a PNG, JPEG or WebP picture; SVG is refused, because it can carry scripts");
  if (bytes.size() > kLogoLimits.bytes)
    return fmt::format("must have at most {} kB", kLogoLimits.bytes >> 10);
  if (info->height > kLogoLimits.height || info->width > kLogoLimits.width)
    return fmt::format("must be at most {} pixels high and {} wide", kLogoLimits.height, kLogoLimits.width);
  const auto hash = EncodeBase64Url(AsText(Sha256(bytes))).substr(0, 8);
  auto name = fmt::format("logo-{}.{}", hash, Suffix(info->type));
  return SiteLogo{*info, std::make_shared<const std::string>(std::move(bytes)), std::move(name)};
}

ShownLogo ShownOf(const SiteLogo& logo) {
  return {"/assets/" + logo.name, logo.info.width, logo.info.height};
}

std::string LogoElement(const ShownLogo& logo, std::string_view name) {
  const auto scale = std::min(kLogoHeight / logo.height, kLogoWidth / logo.width);
  return fmt::format("<img src=\"{}\" width=\"{}\" height=\"{}\" alt=\"{}\">", logo.url,
                     std::max(1L, std::lround(logo.width * scale)),
                     std::max(1L, std::lround(logo.height * scale)), EscapeHtml(name));
}

std::string LookLink(std::optional<Color> color) {
  const auto name = color ? "look-" + HexOf(*color) : "look";
  return "<link rel=\"stylesheet\" href=\"/assets/" + name + ".css\">";
}

std::optional<std::string> LookStyle(std::string_view name) {
  const auto logo_rules = [] { return std::string(kLogoRules) + InDark(" ", kDarkLogo); };
  if (name == "look.css") return logo_rules();
  if (!name.starts_with("look-") || !name.ends_with(".css")) return {};
  const auto hex = name.substr(5, name.size() - 9);
  const auto color = ParseColor("#" + std::string(hex));
  // A colour has one name only (lower case), so that caches keep its stylesheet once.
  if (!color || HexOf(*color) != hex) return {};
  return logo_rules() + AccentRules(*color);
}

}  // namespace maejin::http
