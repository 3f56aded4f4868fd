#include "cli/events_mail.h"

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>

#include <fmt/format.h>

#include "adapters/mail/mail_client.h"
#include "base/time_zone.h"
#include "cli/common/answer_json.h"
#include "cli/common/event_follower.h"
#include "cli/mail/letter.h"

namespace maejin::cli {
namespace {

struct MailKind {
  std::string_view type;
  std::string_view name;
};
constexpr auto kKinds = std::to_array<MailKind>({
    {"reservation.confirmed", "confirmed"},
    {"reservation.refunded", "refunded"},
    {"reservation.cancelled", "cancelled"},
});

std::string MailedTypes() {
  std::string types;
  for (const auto& kind : kKinds) types += (types.empty() ? "" : ",") + std::string(kind.type);
  return types;
}

// 1234567 → "1,234,567".
std::string Grouped(std::int64_t amount) {
  auto digits = std::to_string(amount);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string Joined(const boost::json::array* texts) {
  std::string out;
  if (!texts) return out;
  for (const auto& each : *texts)
    if (each.is_string()) out.append(out.empty() ? "" : ", ").append(each.as_string());
  return out;
}

// Sends the mail of one event.
class MailSender {
 public:
  MailSender(const config::Config& config, mail::AddressBook book)
      : config_(config.mail),
        zone_(TimeZone::Find(config.timezone)),
        book_(std::move(book)),
        mailer_(config.mail.smtp_url, config.mail.ca_file.string()) {}

  Handled operator()(EventFollower& follower, const Event& event) {
    const auto data = ObjectIn(EventDataIn(event.json)).value_or(boost::json::object());
    const auto id = TextOf(data, "reservationId");
    const auto answer = follower.Ask("/api/v1/admin/reservations/" + id);
    if (!answer) return TryAgain(event, answer.error());
    if (answer->status == 404) return Skip(event, "the reservation is unknown");
    const auto reservation = answer->status == 200 ? ObjectIn(answer->body) : std::nullopt;
    // An answer without a title means that the server could not read its database.
    if (!reservation || TextOf(*reservation, "title").empty())
      return TryAgain(event, fmt::format("the server answers {}", answer->status));
    // A customer that cancelled the reservation has seen the answer and needs no mail.
    const bool own = TextOf(*reservation, "endReason") == "customer";
    if (event.type == "reservation.cancelled" && own) return Handled::kDone;
    return Send(event, data, *reservation);
  }

 private:
  Handled Send(const Event& event, const boost::json::object& data, const boost::json::object& reservation) {
    const auto found = book_.Find(TextOf(data, "userId"));
    if (!found) return TryAgain(event, found.error());
    if (!*found) return Skip(event, "the user has no address");
    const auto& recipient = **found;
    if (!mail::IsMailAddress(recipient.address)) return Skip(event, "the address is malformed");
    const auto text = TemplateOf(event.type, recipient.language);
    const auto domain = config_.from.substr(config_.from.find('@') + 1);
    const LetterHeaders headers{config_.from, config_.sender_name, recipient.address,
                                fmt::format("evt-{}.{}@{}", event.id, TextOf(data, "reservationId"), domain),
                                ParseTime(EventTimeIn(event.json)).value_or(Time{})};
    const auto message = MakeMessage(headers, FillTemplate(text, FieldsOf(data, reservation)));
    switch (mailer_.Send(config_.from, recipient.address, message)) {
      case mail::MailResult::kAccepted:
        return Handled::kDone;
      case mail::MailResult::kRecipientRefused:
        return Skip(event, "the mail server refuses the address: " + mailer_.error());
      case mail::MailResult::kFailed:
        break;
    }
    return TryAgain(event, "the mail server fails: " + mailer_.error());
  }

  LetterFields FieldsOf(const boost::json::object& data, const boost::json::object& reservation) const {
    auto when = TextOf(reservation, "concertDate");
    const auto starts = ParseTime(TextOf(reservation, "startsAt"));
    if (starts && zone_) when = zone_->FormatMinute(*starts);
    return {{"code", TextOf(data, "code")},
            {"title", TextOf(reservation, "title")},
            {"venue", TextOf(reservation, "venue")},
            {"date", when},
            {"seats", Joined(ListOf(reservation, "labels"))},
            {"amount", Grouped(CountOf(data, "amount"))},
            {"user", TextOf(data, "userId")}};
  }

  // The operator's template, or the built-in one.
  std::string TemplateOf(std::string_view type, const std::string& asked) const {
    std::string_view kind;
    for (const auto& each : kKinds)
      if (each.type == type) kind = each.name;
    const auto known = FindTemplate(kind, asked);
    const auto& language = known ? asked : config_.language;
    if (config_.templates.empty()) return std::string(*FindTemplate(kind, language));
    const auto file = config_.templates / fmt::format("{}.{}.txt", kind, language);
    std::ifstream in(file, std::ios::binary);
    if (!in) return std::string(*FindTemplate(kind, language));
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }

  static Handled TryAgain(const Event& event, std::string_view why) {
    fmt::print(stderr, "maejin: event {}: {}; trying again\n", event.id, why);
    return Handled::kTryAgain;
  }
  static Handled Skip(const Event& event, std::string_view why) {
    fmt::print(stderr, "maejin: event {}: no mail: {}\n", event.id, why);
    return Handled::kDone;
  }

  const config::Config::Mail& config_;
  const std::optional<TimeZone> zone_;
  mail::AddressBook book_;
  mail::Mailer mailer_;
};

Result<mail::AddressBook, std::string> OpenBook(const config::Config::Mail& mail) {
  if (!mail.lookup_url.empty()) return mail::AddressBook::AtUrl(mail.lookup_url, mail.ca_file.string());
  return mail::AddressBook::Read(mail.addresses_file.string());
}

}  // namespace

std::vector<VerbFlag> EventsMailFlags() {
  return {
      {"types", "LIST", "", "Only these types (default: reservation.confirmed, .refunded, .cancelled)"},
      {"after", "ID", "", "Begin after this event (default: where the last run with this cursor stopped)"},
      {"cursor", "FILE", "", "File of the last handled event (default: mail.cursor in the data folder)"},
      {"url", "URL", "", "URL of the server (default: the server of the data folder)"},
      {"once", "", "", "Exit at the end of the feed"},
  };
}

int RunEventsMail(const Invocation& invocation) {
  const auto& mail = invocation.config.mail;
  if (mail.smtp_url.empty()) return FailUsage("mail.smtp-url: required, such as smtp://127.0.0.1:25");
  if (!mail::IsMailAddress(mail.from)) return FailUsage("mail.from: required, the address of the sender");
  if (mail.lookup_url.empty() == mail.addresses_file.empty())
    return FailUsage("mail.lookup-url or mail.addresses-file: give one of them");
  auto types = invocation.Text("types");
  if (types.empty()) types = MailedTypes();
  const auto filter = EventFilter::Parse(types);
  if (!filter) return FailUsage(filter.error().about);
  auto book = OpenBook(mail);
  if (!book) return Fail(book.error());
  MailSender sender(invocation.config, std::move(*book));
  return Follow(invocation, {types, "mail.cursor", [&sender](EventFollower& follower, const Event& event) {
                               return sender(follower, event);
                             }});
}

}  // namespace maejin::cli
