#include "config/config.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/options.h"

namespace maejin::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ConfigTest : public testing::Test {
 protected:
  ConfigTest() {
    folder_ = std::filesystem::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
    sources_.default_file = folder_ / "maejin.toml";
  }
  ~ConfigTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  Setting Read(std::string_view name) {
    const auto settings = ReadSettings(sources_);
    EXPECT_TRUE(settings.ok()) << settings.error().front();
    return settings->find(name)->second;
  }
  std::string FirstError() {
    const auto settings = ReadSettings(sources_);
    if (!settings) return settings.error().front();
    const auto config = MakeConfig(*settings);
    return config ? "" : config.error().front();
  }
  Config Make() { return *MakeConfig(*ReadSettings(sources_)); }

  std::filesystem::path folder_;
  ConfigSources sources_;
};

TEST_F(ConfigTest, SettingsHaveDefaultsWithoutSources) {
  EXPECT_EQ(Read("listen").value, "127.0.0.1:8080");
  EXPECT_EQ(Read("listen").origin, "default");
  const auto config = Make();
  EXPECT_EQ(config.listen, (Address{"127.0.0.1", 8080}));
  EXPECT_EQ(config.admin_key_file, "./maejin-data/admin.key");
  EXPECT_EQ(config.auth_users, UserAuth::kTrusted);
  EXPECT_GE(config.threads, 1U);
}

TEST_F(ConfigTest, TheRefundUrlTakesHttpsWithANameOrAnAddress) {
  const auto with = [this](const char* url) {
    sources_.flags = {{"payment.refund-url", url}};
    return Make().payment;
  };
  auto payment = with("https://pay.example/refunds");
  EXPECT_TRUE(payment.refund_tls);
  EXPECT_EQ(payment.refund, (Address{"pay.example", 443}));
  EXPECT_EQ(payment.refund_path, "/refunds");
  EXPECT_EQ(with("https://pay.example:8443/r").refund, (Address{"pay.example", 8443}));
  EXPECT_EQ(with("https://127.0.0.1:9443/r").refund, (Address{"127.0.0.1", 9443}));
  payment = with("http://127.0.0.1:9000/r");
  EXPECT_FALSE(payment.refund_tls);
  for (const char* wrong : {"http://pay.example/r", "https://", "https://a b/", "https://a:x/", "ftp://a/"}) {
    sources_.flags = {{"payment.refund-url", wrong}};
    EXPECT_THAT(FirstError(), HasSubstr("https://pay.example/refunds")) << wrong;
  }
}

TEST_F(ConfigTest, TheDefaultsOfTheTableAndOfTheStructAreTheSame) {
  const auto http = Make().http;
  const Config::Http fresh;
  EXPECT_EQ(http.header_limit_bytes, fresh.header_limit_bytes);
  EXPECT_EQ(http.body_limit_bytes, fresh.body_limit_bytes);
  EXPECT_EQ(http.header_deadline, fresh.header_deadline);
  EXPECT_EQ(http.idle_deadline, fresh.idle_deadline);
  EXPECT_EQ(http.connections, fresh.connections);
  EXPECT_EQ(http.connections_per_address, fresh.connections_per_address);
  EXPECT_EQ(http.reserved_connections, fresh.reserved_connections);
  EXPECT_EQ(http.streams_per_client, fresh.streams_per_client);
  EXPECT_EQ(http.owed_bytes, fresh.owed_bytes);
  EXPECT_EQ(http.owed_bytes_per_address, fresh.owed_bytes_per_address);
  EXPECT_EQ(http.owed_bytes_per_connection, fresh.owed_bytes_per_connection);
  EXPECT_EQ(http.least_read_bytes_per_second, fresh.least_read_bytes_per_second);
  EXPECT_EQ(http.seat_map_bytes, fresh.seat_map_bytes);
  EXPECT_EQ(http.drain, fresh.drain);
}

TEST_F(ConfigTest, FlagOverridesEnvironmentOverridesFileOverridesDefault) {
  Write("maejin.toml", "timezone = \"UTC\"\n");
  EXPECT_EQ(Read("timezone").value, "UTC");
  EXPECT_THAT(Read("timezone").origin, HasSubstr("maejin.toml:1"));
  sources_.environment = {"PATH=/bin", "MAEJIN_TIMEZONE=Asia/Tokyo"};
  EXPECT_EQ(Read("timezone").value, "Asia/Tokyo");
  EXPECT_EQ(Read("timezone").origin, "MAEJIN_TIMEZONE");
  sources_.flags = {{"timezone", "Europe/Berlin"}};
  EXPECT_EQ(Read("timezone").value, "Europe/Berlin");
  EXPECT_EQ(Read("timezone").origin, "--timezone");
}

TEST_F(ConfigTest, NamedFileReplacesTheDefaultFile) {
  Write("maejin.toml", "timezone = \"UTC\"\n");
  sources_.file = Write("other.toml", "[auth]\nusers = \"trusted\"\n");
  EXPECT_EQ(Read("timezone").origin, "default");
  EXPECT_THAT(Read("auth.users").origin, HasSubstr("other.toml:2"));
}

TEST_F(ConfigTest, ListIsAnArrayInTheFileAndCommaSeparatedElsewhere) {
  Write("maejin.toml", "[http]\ncors-origins = [\"https://a.example\", \"https://b.example\"]\n");
  EXPECT_THAT(Make().http.cors_origins, ElementsAre("https://a.example", "https://b.example"));
  sources_.environment = {"MAEJIN_HTTP_CORS_ORIGINS=https://c.example, https://d.example"};
  EXPECT_THAT(Make().http.cors_origins, ElementsAre("https://c.example", "https://d.example"));
}

TEST_F(ConfigTest, UnknownKeyIsRefusedWithASuggestion) {
  Write("maejin.toml", "[http]\ncors-origin = []\n");
  EXPECT_THAT(FirstError(), HasSubstr("maejin.toml:2: unknown setting http.cors-origin. "
                                      "Did you mean http.cors-origins?"));
}

TEST_F(ConfigTest, UnknownVariableIsRefusedWithASuggestion) {
  sources_.environment = {"MAEJIN_LISTNE=x"};
  EXPECT_THAT(FirstError(), HasSubstr("MAEJIN_LISTNE: unknown setting. Did you mean MAEJIN_LISTEN?"));
}

TEST_F(ConfigTest, ValueOfTheWrongTypeIsRefused) {
  sources_.flags = {{"threads", "many"}};
  EXPECT_EQ(FirstError(), "--threads: threads must be a whole number from 0 to 1024, not \"many\"");
  sources_.flags = {{"threads", "1025"}};
  EXPECT_THAT(FirstError(), HasSubstr("0 to 1024"));
  sources_.flags = {{"log.level", "loud"}};
  EXPECT_THAT(FirstError(), HasSubstr("debug|info|warning|error|off"));
  sources_.flags = {{"listen", "8080"}};
  EXPECT_THAT(FirstError(), HasSubstr("an address with a port"));
}

TEST_F(ConfigTest, InvalidOriginOrNetworkInAListIsRefused) {
  const std::pair<const char*, std::vector<const char*>> wrong[] = {
      {"http.cors-origins",
       {"shop.example", "://shop.example", "https://", "https://shop.example/", "https://Shop.example",
        "https://a.example, b.example", "https://a@b.example", "https://a.example:443",
        "http://a.example:80"}},
      {"http.frame-ancestors", {"shop.example", "https://shop.example/", "https://a.example; script-src *"}},
      {"http.trusted-proxies", {"10.0.0/8", "10.0.0.0/33", "::1/129", "proxy", "10.0.0.0/8,x", "10.0.0.0/"}},
  };
  for (const auto& [name, values] : wrong) {
    for (const auto* value : values) {
      sources_.flags = {{name, value}};
      EXPECT_THAT(FirstError(), HasSubstr(std::string("not \"") + value)) << name;
    }
  }
  sources_.flags = {{"http.cors-origins", "https://a.example, http://[::1]:5173,capacitor://localhost, *"},
                    {"http.trusted-proxies", "10.0.0.0/8, ::1, fd00::/8, 192.0.2.1"}};
  EXPECT_EQ(FirstError(), "");
}

TEST_F(ConfigTest, InvalidTomlIsRefusedWithItsLineNumber) {
  Write("maejin.toml", "listen = \"127.0.0.1:1\"\n[[[\n");
  EXPECT_THAT(FirstError(), HasSubstr("maejin.toml:2"));
}

TEST_F(ConfigTest, TomlBeyondAsciiIsReadInTextsAndCommentsOnly) {
  Write("maejin.toml", "\xEF\xBB\xBF# 매진 \"\n[log]\nlevel = 'warn' # é\n[site]\n");
  EXPECT_THAT(FirstError(), Not(HasSubstr("ASCII")));
  Write("maejin.toml", "listen = \"127.0.0.1:1\"\n\xC3\xA9 = 1\n");
  EXPECT_THAT(FirstError(), HasSubstr("maejin.toml:2: a character beyond ASCII"));
  Write("maejin.toml", "listen = \"\"\"\\\n\xC3\xA9\"\"\"\n");
  EXPECT_THAT(FirstError(), HasSubstr("maejin.toml:1: a text of several lines"));
}

TEST_F(ConfigTest, AddressBeyondLoopbackNeedsAuthUsers) {
  sources_.flags = {{"listen", "0.0.0.0:8080"}};
  EXPECT_THAT(FirstError(),
              HasSubstr("auth.users: required, because 0.0.0.0:8080 can be reached from other machines"));
  sources_.flags["auth.users"] = "trusted";
  EXPECT_EQ(FirstError(), "");
  sources_.flags = {{"listen", "[::1]:8080"}};
  EXPECT_EQ(FirstError(), "");
}

TEST_F(ConfigTest, SignedUsersNeedAKey) {
  sources_.flags = {{"auth.users", "signed"}};
  EXPECT_THAT(FirstError(), HasSubstr("auth.key-file or auth.jwks"));
  sources_.flags["auth.key-file"] = "key.pem";
  EXPECT_EQ(Make().auth_users, UserAuth::kSigned);
}

TEST_F(ConfigTest, MysqlNeedsRedis) {
  EXPECT_FALSE(Make().mysql);
  sources_.flags = {{"mysql", "mysql://maejin:hunter2@127.0.0.1/maejin"}};
  EXPECT_THAT(FirstError(), HasSubstr("--redis redis://host:6379"));
  sources_.flags["redis"] = "redis://127.0.0.1";
  EXPECT_EQ(Make().mysql->server.database, "maejin");
  sources_.flags["mysql"] = "mysql://127.0.0.1";
  EXPECT_THAT(FirstError(), HasSubstr("names no database"));
}

TEST_F(ConfigTest, RedisUrlIsParsedOrRefused) {
  EXPECT_FALSE(Make().redis);
  sources_.flags = {{"redis", "redis+sentinel://a,b/mymaster"}};
  EXPECT_EQ(Make().redis->endpoints.size(), 2U);
  sources_.flags = {{"redis", "127.0.0.1"}};
  EXPECT_THAT(FirstError(), HasSubstr("redis: the address must begin with"));
}

TEST_F(ConfigTest, SecretIsReadFromAFileAndNeverShown) {
  const auto file = Write("secret", "redis://:hunter2@127.0.0.1\n");
  sources_.environment = {"MAEJIN_REDIS_FILE=" + file.string()};
  const auto setting = Read("redis");
  EXPECT_EQ(setting.value, "redis://:hunter2@127.0.0.1");
  EXPECT_EQ(setting.origin, "MAEJIN_REDIS_FILE");
  EXPECT_EQ(Shown("redis", setting), "(secret)");
  sources_.environment = {"MAEJIN_REDIS_FILE=" + (folder_ / "missing").string()};
  EXPECT_THAT(FirstError(), HasSubstr("MAEJIN_REDIS_FILE: cannot read a secret from"));
}

TEST_F(ConfigTest, SecretGivenByVariableAndByFileIsRefusedInEitherOrder) {
  const auto in_file = "MAEJIN_REDIS_FILE=" + Write("secret", "redis://10.0.0.1\n").string();
  const std::string plain = "MAEJIN_REDIS=redis://10.0.0.2";
  const auto both = HasSubstr("MAEJIN_REDIS and MAEJIN_REDIS_FILE: give only one of them");
  sources_.environment = {in_file, plain};
  EXPECT_THAT(FirstError(), both);
  sources_.environment = {plain, in_file};
  EXPECT_THAT(FirstError(), both);
}

TEST_F(ConfigTest, UnknownTimeZoneIsRefused) {
  sources_.flags = {{"timezone", "Asia/Seol"}};
  EXPECT_THAT(FirstError(),
              HasSubstr("the name of a time zone, such as Asia/Seoul or UTC, not \"Asia/Seol\""));
}

TEST(OptionsTest, EveryOptionHasAValidDefaultAndASentence) {
  for (const auto& option : Options()) {
    EXPECT_FALSE(option.sentence.empty()) << option.name;
    if (option.type == OptionType::kInteger) {
      EXPECT_LE(option.min, std::stoll(std::string(option.fallback))) << option.name;
      EXPECT_GE(option.max, std::stoll(std::string(option.fallback))) << option.name;
    }
  }
}

TEST(OptionsTest, FlagAndVariableFollowFromTheName) {
  const auto* option = FindOption("http.cors-origins");
  ASSERT_NE(option, nullptr);
  EXPECT_EQ(FlagOf(*option), "--http-cors-origins");
  EXPECT_EQ(EnvironmentOf(*option), "MAEJIN_HTTP_CORS_ORIGINS");
}

}  // namespace
}  // namespace maejin::config
