// The table of verbs. A new verb needs a row here and a function in its own header.
#include "cli/verbs.h"
#include "cli/backup.h"
#include "cli/command_line.h"
#include "cli/config_verbs.h"
#include "cli/data_verbs.h"
#include "cli/demo.h"
#include "cli/doctor.h"
#include "cli/erase.h"
#include "cli/events.h"
#include "cli/events_mail.h"
#include "cli/import_soldouts.h"
#include "cli/keys.h"
#include "cli/manual.h"
#include "cli/migrate.h"
#include "cli/rankings.h"
#include "cli/rehearsal/plan.h"
#include "cli/rehearsal/rehearse.h"
#include "cli/report.h"
#include "cli/routes.h"
#include "cli/sandbox/sandbox_pay.h"
#include "cli/serve.h"
#include "cli/snippet.h"
#include "cli/ticket.h"
#include "cli/top/top.h"
#include "cli/verify_shuffle.h"
#include "cli/version.h"

namespace maejin::cli {
namespace {

const std::vector<Verb>& Table() {
  static const std::vector<Verb> table = {
      {.name = "serve",
       .sentence = "Run the server",
       .flags = {{"allow-root", "", "", "Run as root on an address that other machines reach"}},
       .run = RunServe},
      {.name = "demo",
       .sentence = "Run a complete on-sale with simulated fans, in a temporary folder unless --data is given",
       .flags = DemoFlags(),
       .run = RunDemo},
      {.name = "rehearse",
       .sentence = "Run a complete on-sale with simulated fans against a running server, and audit it",
       .flags = RehearsalFlags(),
       .json = true,
       .run = RunRehearse},
      {.name = "sandbox-pay",
       .sentence = "Run a payment provider with play money and configurable faults",
       .needs = VerbNeeds::kNothing,
       .flags = SandboxPayFlags(),
       .run = RunSandboxPay},
      {.name = "import soldouts",
       .sentence = "Import past sell-outs from a file (NDJSON, a JSON array, or CSV); - reads standard input",
       .positionals = {"FILE", 1, 1, "File with the sell-outs; - is standard input"},
       .flags = {{"format", "NAME", "", "csv or ndjson (default: by file name)"}},
       .json = true,
       .run = RunImportSoldOuts},
      {.name = "rankings rebuild",
       .sentence = "Rebuild every board from the database",
       .json = true,
       .run = RunRankingsRebuild},
      {.name = "rankings prune",
       .sentence = "Drop the boards of old windows; the database still answers queries about them",
       .flags = {{"before", "MONTH", "", "Drop windows that ended before this month (YYYY-MM) or day"}},
       .json = true,
       .run = RunRankingsPrune},
      {.name = "rankings export",
       .sentence = "Write a whole board to standard output",
       .flags = RankingsExportFlags(),
       .run = RunRankingsExport},
      {.name = "events follow",
       .sentence =
           "Print the events of a running server, or run a command for each; resumes where it stopped",
       .flags = EventsFollowFlags(),
       .run = RunEventsFollow},
      {.name = "events mail",
       .sentence = "Mail customers about their bookings, by the events of a running server; resumes where it "
                   "stopped",
       .flags = EventsMailFlags(),
       .run = RunEventsMail},
      {.name = "config check",
       .sentence = "Check the configuration without starting anything",
       .json = true,
       .run = RunConfigCheck},
      {.name = "config show",
       .sentence = "Show every setting",
       .needs = VerbNeeds::kSettings,
       .flags = {{"origin", "", "",
                  "Also show where each value comes from: default, file and line, variable or flag"}},
       .json = true,
       .run = RunConfigShow},
      {.name = "config table",
       .sentence = "Print the table of docs/configuration.md",
       .needs = VerbNeeds::kNothing,
       .hidden = true,
       .run = RunConfigTable},
      {.name = "data export",
       .sentence = "Export all booking data of the data folder or --mysql to a file (- is standard output)",
       .needs = VerbNeeds::kDatabase,
       .positionals = {"FILE", 1, 1, "File to write; - is standard output"},
       .json = true,
       .run = RunDataExport},
      {.name = "data import",
       .sentence = "Import an exported file into an empty data folder or --mysql; verifies counts and boards",
       .needs = VerbNeeds::kDatabase,
       .positionals = {"FILE", 1, 1, "File that `data export` wrote; - is standard input"},
       .json = true,
       .run = RunDataImport},
      {.name = "backup",
       .sentence = "Write the data folder, or the database of --mysql, to one file, also while servers run",
       .needs = VerbNeeds::kDatabase,
       .positionals = {"FILE", 1, 1, "File to write"},
       .json = true,
       .run = RunBackup},
      {.name = "restore",
       .sentence = "Make a new data folder (--data), or fill an empty database (--mysql), from a backup",
       .needs = VerbNeeds::kDatabase,
       .positionals = {"FILE", 1, 1, "File that `backup` wrote"},
       .json = true,
       .run = RunRestore},
      {.name = "verify",
       .sentence = "Check a backup: its checksum, schema, audit log, seats and, of a data folder, keys",
       .needs = VerbNeeds::kDatabase,
       .positionals = {"FILE", 1, 1, "File that `backup` wrote"},
       .json = true,
       .run = RunVerify},
      {.name = "migrate",
       .sentence = "Migrate the shared database (--mysql) to this version's schema; serve does it too",
       .needs = VerbNeeds::kDatabase,
       .json = true,
       .run = RunMigrate},
      {.name = "doctor",
       .sentence = "Check the data folder, disk, clock, limits and back ends; with --sale, a concert too",
       .flags = {{"sale", "ID", "", "Ask the running server whether this concert is ready for its opening"}},
       .json = true,
       .run = RunDoctor},
      {.name = "top",
       .sentence = "Watch a running server: health, requests, latency, lines, seats; q quits",
       .flags = TopFlags(),
       .json = true,
       .run = RunTop},
      {.name = "erase",
       .sentence = "Erase a person: bookings keep their figures under a pseudonym",
       .flags = {{"user", "ID", "", "The user's id"}},
       .json = true,
       .run = RunErase},
      {.name = "keys rotate",
       .sentence = "Create new signing keys; signatures of the old keys stay valid",
       .needs = VerbNeeds::kDatabase,
       .json = true,  // the new key set is JSON anyway
       .run = RunKeysRotate},
      {.name = "ticket verify",
       .sentence = "Tell whether a ticket is valid, cancelled or unknown, by its code or its QR code's text",
       .positionals = {"CODE", 1, 1, "Code of the ticket, or the text of its QR code"},
       .flags = TicketVerifyFlags(),
       .json = true,
       .run = RunTicketVerify},
      {.name = "report write",
       .sentence = "Write the report of a sale: figures, time line and fairness certificate",
       .positionals = {"CONCERT", 1, 1, "Id of the concert"},
       .flags = ReportWriteFlags(),
       .run = RunReportWrite},
      {.name = "report verify",
       .sentence = "Tell whether rows of a sale were changed after its report (JSON) was written",
       .positionals = {"FILE", 1, 1, "Report in JSON"},
       .flags = ReportVerifyFlags(),
       .json = true,
       .run = RunReportVerify},
      {.name = "verify-shuffle",
       .sentence = "Verify a published draw of a pre-queue by recomputing it",
       .needs = VerbNeeds::kNothing,
       .positionals = {"FILE", 1, 1, "File with the published draw"},
       .flags = {{"number", "N", "", "Also show the drawn position of this number"}},
       .json = true,
       .run = RunVerifyShuffle},
      {.name = "snippet",
       .sentence = "Print a connector: a file for the shop's gateway that lets only admitted visitors pass",
       .needs = VerbNeeds::kNothing,
       .positionals = {"nginx|njs|caddy|traefik|haproxy|apache|envoy|spring|express|worker [FILE]", 1, 2,
                       "Kind of gateway; FILE names another of its files, such as maejin.js"},
       .flags = SnippetFlags(),
       .run = RunSnippet},
      {.name = "routes",
       .sentence = "List every route of the server",
       .needs = VerbNeeds::kSettings,
       .json = true,
       .hidden = true,
       .run = RunRoutes},
      {.name = "completions",
       .sentence = "Print completions for bash, zsh or fish",
       .needs = VerbNeeds::kNothing,
       .positionals = {"SHELL", 1, 1, "bash, zsh or fish"},
       .run = RunCompletions},
      {.name = "man",
       .sentence = "Print the manual page, in troff",
       .needs = VerbNeeds::kNothing,
       .run = RunMan},
      {.name = "help",
       .sentence = "Explain a verb",
       .needs = VerbNeeds::kNothing,
       .positionals = {"VERB", 0, 2, "One or two words, such as serve or config check"},
       .run = RunHelp},
      {.name = "version",
       .sentence = "Print the version",
       .needs = VerbNeeds::kNothing,
       .json = true,
       .run = RunVersion},
  };
  return table;
}

}  // namespace

std::span<const Verb> Verbs() { return Table(); }

}  // namespace maejin::cli
