#include "http/pages/page_words.h"

#include <iterator>

#include <fmt/format.h>

namespace maejin::http {
namespace {

// In the order of the enum Language.
constexpr PageWords kPageWords[] = {
    {"Help", "Terms", "₩{}", "from {}", "Calculating…", "{} min", "{} left", "Waiting for payment",
     "Open the ticket", "Cancelled", "Postponed from {} to {}. Your ticket stays valid.", "Presented by {}",
     "en_US"},
    {"고객센터", "이용약관", "{}원", "{}부터", "계산 중", "{}분", "잔여 {}석", "결제 대기", "티켓 보기",
     "취소 내역", "{} 공연이 {}로 연기되었습니다. 티켓은 그대로 사용하실 수 있습니다.", "주최 {}", "ko_KR"},
    {"ヘルプ", "利用規約", "{}ウォン", "{}から", "計算中", "{}分", "残り{}席", "お支払い待ち",
     "チケットを表示", "キャンセル済み", "{}から{}に延期されました。チケットはそのままご利用いただけます。",
     "主催：{}", "ja_JP"},
    {"客服中心", "服務條款", "{} 韓元", "{}起", "計算中", "{} 分鐘", "剩餘 {} 席", "待付款", "查看票券",
     "已取消", "由 {} 延期至 {}，票券仍然有效。", "主辦：{}", "zh_TW"},
};
static_assert(std::size(kPageWords) == kLanguages);

}  // namespace

const PageWords& WordsIn(Language language) { return kPageWords[static_cast<std::size_t>(language)]; }

std::string MoneyText(Money amount, Language language) {
  auto digits = std::to_string(amount);
  for (auto at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return fmt::format(fmt::runtime(WordsIn(language).won), digits);
}

}  // namespace maejin::http
