find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json)
find_package(OpenSSL 3 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(CURL 7.85 REQUIRED)
find_package(ZLIB REQUIRED)
find_library(BROTLI_LIBRARY brotlienc REQUIRED)
# QR codes of tickets.
find_library(QRENCODE_LIBRARY qrencode REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(date REQUIRED)
find_package(prometheus-cpp REQUIRED)
# hiredis: the protocol only (0.14 ships no CMake target of its own).
find_library(HIREDIS_LIBRARY hiredis REQUIRED)
# MariaDB's C client speaks to MySQL too; its headers are included as <mariadb/mysql.h>.
find_library(MARIADB_LIBRARY mariadb REQUIRED)
# malloc for the program: linking it replaces glibc's.
find_library(MIMALLOC_LIBRARY mimalloc REQUIRED)

# Asio and Beast, compiled once: as header-only libraries they would be compiled with every file.
# Without the deprecated names of Asio. Its frames and operations need no extended alignment, so they come
# from operator new: glibc's aligned_alloc has no cache.
add_library(maejin_asio STATIC cmake/asio.cpp)
target_link_libraries(maejin_asio PUBLIC Threads::Threads Boost::headers OpenSSL::Crypto OpenSSL::SSL)
target_compile_definitions(maejin_asio PUBLIC BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION
  BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_STD_ALIGNED_ALLOC BOOST_ASIO_DISABLE_BOOST_ALIGN)

add_library(maejin_dependencies INTERFACE)
target_link_libraries(maejin_dependencies INTERFACE maejin_asio Threads::Threads Boost::headers Boost::json
  OpenSSL::Crypto OpenSSL::SSL SQLite::SQLite3 CURL::libcurl ZLIB::ZLIB ${BROTLI_LIBRARY}
  fmt::fmt spdlog::spdlog date::date date::date-tz
  prometheus-cpp::core ${HIREDIS_LIBRARY} ${MARIADB_LIBRARY} ${QRENCODE_LIBRARY})
target_compile_definitions(maejin_dependencies INTERFACE SPDLOG_FMT_EXTERNAL)
