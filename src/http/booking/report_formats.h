// The sale report as JSON, CSV and HTML: the same figures in each.
#pragma once

#include <string>

#include "domain/report/sale_report.h"
#include "server/request.h"

namespace maejin::http {

void WriteReportJson(std::string& out, const SaleReport& report);
// One figure a row: group, name, value. UTF-8.
void WriteReportCsv(std::string& out, const SaleReport& report);
// One page without scripts or other files.
void WriteReportHtml(std::string& out, const SaleReport& report, Language language);

// Doubles quotes, and puts an apostrophe before text that a spreadsheet would run as a formula.
void AppendCsvText(std::string& out, std::string_view text);

}  // namespace maejin::http
