#include "http/pages/maintenance_page.h"

#include <gmock/gmock.h>

namespace maejin::http {
namespace {

using ::testing::HasSubstr;

class BrowserHeaders final : public Headers {
 public:
  std::string_view Find(std::string_view name) const override { return name == "Accept" ? "text/html" : ""; }
};

TEST(MaintenancePageTest, BrowserGetsAPageWithTheNameOfTheSite) {
  SiteTexts site;
  site.name = "Arirang Tickets";
  const MaintenancePage page(std::make_shared<const PageLibrary>(std::vector<std::string>(), site));
  const BrowserHeaders headers;
  Request request;
  request.headers = &headers;
  Response response;
  page.Answer(request, response);
  EXPECT_EQ(response.status, 503);
  EXPECT_THAT(response.Body(), HasSubstr("Arirang Tickets"));
}

}  // namespace
}  // namespace maejin::http
