#include "tests/support/mariadb_server.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

#include "adapters/mysql/connection.h"
#include "tests/support/free_port.h"
#include "tests/support/process.h"

namespace maejin::testing_support {
namespace {

namespace fs = std::filesystem;

constexpr auto kStartDeadline = Seconds{120};
// Tolerates a machine that is busy for seconds. Tests of timeouts set their own.
constexpr auto kPatience = Seconds{60};

// The server ends with the thread that started it, so this thread must outlive it.
pid_t Spawn(std::vector<std::string> command, const fs::path& log) {
  std::vector<char*> argv;
  for (auto& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  if (access(argv[0], X_OK) != 0)
    throw std::runtime_error("cannot start " + command[0] + ": install mariadb-server (./dev setup)");
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("fork");
  if (pid > 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int in = open("/dev/null", O_RDONLY);
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(in, 0);
  dup2(out, 1);
  dup2(out, 2);
  execv(argv[0], argv.data());
  _exit(127);
}

std::string EndOf(const fs::path& log) {
  std::ifstream in(log);
  std::stringstream text;
  text << in.rdbuf();
  const auto all = text.str();
  return all.substr(all.size() > 2000 ? all.size() - 2000 : 0);
}

// mariadbd requires --user=root to run as root.
std::vector<std::string> AsMyself(std::vector<std::string> command) {
  if (geteuid() == 0) command.insert(command.begin() + 2, "--user=root");
  return command;
}

// --force: on a bare Debian neither the host name nor "localhost" may resolve.
void Prepare(const fs::path& data, const fs::path& log) {
  const pid_t pid =
      Spawn(AsMyself({"/usr/bin/mariadb-install-db", "--no-defaults", "--datadir=" + data.string(),
                      "--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve",
                      "--force", "--innodb-log-file-size=16M"}),
            log);
  int status = 0;
  waitpid(pid, &status, 0);
  if (status != 0) throw std::runtime_error("mariadb-install-db failed: " + EndOf(log));
}

// The first process prepares the folder and renames it into place when it is complete. Later runs reuse it.
fs::path Template() {
  const auto place = fs::temp_directory_path() / fmt::format("maejin-mariadb-template-{}", geteuid());
  fs::create_directories(place);
  const int lock = open((place / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  flock(lock, LOCK_EX);
  const auto data = place / "data";
  if (!fs::exists(data)) {
    const auto making = place / "making";
    fs::remove_all(making);
    Prepare(making, place / "log");
    fs::rename(making, data);
  }
  close(lock);
  return data;
}

fs::path NewFolder() {
  auto name = (fs::temp_directory_path() / "maejin-mariadb-XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("cannot make " + name);
  return name;
}

}  // namespace

MariaDbServer::MariaDbServer(std::vector<std::string> arguments)
    : arguments_(std::move(arguments)), folder_(NewFolder()) {
  fs::copy(Template(), folder_ / "data", fs::copy_options::recursive);
  fs::create_directory(folder_ / "tmp");
  // Another process may take the free port first: retry with another one.
  for (int tries = 0;; ++tries) {
    port_ = test::FreePort();
    try {
      Start();
      return;
    } catch (const std::runtime_error&) {
      if (tries == 3) throw;
    }
  }
}

MariaDbServer::~MariaDbServer() {
  Kill();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void MariaDbServer::Start() {
  auto command = AsMyself(
      {"/usr/sbin/mariadbd", "--no-defaults", "--datadir=" + (folder_ / "data").string(),
       // Its own folder for temporary tables: a starting server deletes those of other servers.
       "--tmpdir=" + (folder_ / "tmp").string(), fmt::format("--port={}", port_), "--bind-address=127.0.0.1",
       "--socket=" + (folder_ / "sock").string(), "--pid-file=" + (folder_ / "pid").string(),
       "--skip-name-resolve", "--performance-schema=off", "--innodb-log-file-size=64M",
       "--innodb-buffer-pool-size=256M", "--innodb-flush-log-at-trx-commit=1",
       // Survives a crash of the server but not of the machine, and needs no fsync on a shared disk.
       "--innodb-flush-method=nosync", "--sync-frm=0", "--innodb-buffer-pool-dump-at-shutdown=off",
       "--innodb-buffer-pool-load-at-startup=off", "--max-connections=500", "--default-time-zone=+09:00"});
  command.insert(command.end(), arguments_.begin(), arguments_.end());
  pid_ = Spawn(std::move(command), folder_ / "log");
  WaitUntilReady();
}

void MariaDbServer::WaitUntilReady() {
  const auto deadline = std::chrono::steady_clock::now() + kStartDeadline;
  while (std::chrono::steady_clock::now() < deadline) {
    try {
      mysql::Connection probe(Options(""));
      return;
    } catch (const mysql::MysqlError&) {
      std::this_thread::sleep_for(Millis{10});
    }
    if (waitpid(pid_, nullptr, WNOHANG) == pid_) {
      pid_ = 0;
      break;
    }
  }
  throw std::runtime_error("mariadbd did not start: " + EndOf(folder_ / "log"));
}

mysql::ServerOptions MariaDbServer::Options(const std::string& database) const {
  mysql::ServerOptions options;
  options.port = static_cast<std::uint16_t>(port_);
  options.user = "root";
  options.database = database;
  options.connect_timeout = options.read_timeout = kPatience;
  return options;
}

std::string MariaDbServer::Url(const std::string& database) const {
  return fmt::format("mysql://root@127.0.0.1:{}/{}?read-timeout-ms={}", port_, database,
                     Millis{kPatience}.count());
}

void MariaDbServer::CreateDatabase(const std::string& name) const {
  mysql::Connection connection(Options(""));
  connection.Command("CREATE DATABASE " + name);
}

void MariaDbServer::End(int signal) {
  if (pid_ == 0) return;
  kill(pid_, signal);
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

void MariaDbServer::Kill() { End(SIGKILL); }
void MariaDbServer::Stop() { End(SIGTERM); }
void MariaDbServer::Pause() { test::Freeze(pid_); }
void MariaDbServer::Continue() { kill(pid_, SIGCONT); }

MariaDbServer& SharedMariaDb() {
  static MariaDbServer server;
  return server;
}

mysql::ServerOptions FreshDatabase() {
  static std::atomic<int> next{1};
  const auto name = fmt::format("test_{}", next++);
  SharedMariaDb().CreateDatabase(name);
  return SharedMariaDb().Options(name);
}

}  // namespace maejin::testing_support
