#include "domain/public_address.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>

namespace maejin {
namespace {

bool IsPublicText(const char* text) {
  Ipv4 four{};
  if (inet_pton(AF_INET, text, four.data()) == 1) return IsPublic(four);
  Ipv6 six{};
  EXPECT_EQ(inet_pton(AF_INET6, text, six.data()), 1) << text;
  return IsPublic(six);
}

TEST(PublicAddress, AddressesOfTheInternetArePublic) {
  for (const char* text : {"1.1.1.1",         "9.255.255.255",        "11.0.0.0",
                           "100.63.255.255",  "100.128.0.0",          "126.0.0.1",
                           "128.0.0.1",       "169.253.0.1",          "172.15.255.255",
                           "172.32.0.0",      "192.167.0.1",          "192.169.0.1",
                           "198.17.0.1",      "198.20.0.1",           "223.255.255.255",
                           "2606:4700::1111", "2001:4860:4860::8888", "2400::1",
                           "::ffff:1.1.1.1",  "64:ff9b::1.1.1.1"})
    EXPECT_TRUE(IsPublicText(text)) << text;
}

TEST(PublicAddress, SpecialAddressesAreNot) {
  for (const char* text : {"0.0.0.0",
                           "0.1.2.3",
                           "10.0.0.1",
                           "10.255.255.255",
                           "100.64.0.1",
                           "100.127.255.255",
                           "127.0.0.1",
                           "127.255.255.254",
                           "169.254.0.1",
                           "169.254.169.254",
                           "172.16.0.1",
                           "172.31.255.255",
                           "192.0.0.8",
                           "192.0.2.1",
                           "192.88.99.1",
                           "192.168.0.1",
                           "198.18.0.1",
                           "198.19.255.255",
                           "198.51.100.1",
                           "203.0.113.1",
                           "224.0.0.1",
                           "239.1.1.1",
                           "240.0.0.1",
                           "255.255.255.255",
                           "::",
                           "::1",
                           "::ffff:127.0.0.1",
                           "::ffff:10.0.0.1",
                           "::ffff:169.254.169.254",
                           "::127.0.0.1",
                           "64:ff9b::10.0.0.1",
                           "64:ff9b:1::1",
                           "100::1",
                           "2001::1",
                           "2001:db8::1",
                           "2002:7f00:1::",
                           "3fff::1",
                           "fc00::1",
                           "fd12:3456::1",
                           "fe80::1",
                           "fec0::1",
                           "ff02::1",
                           "5f00::1"})
    EXPECT_FALSE(IsPublicText(text)) << text;
}

}  // namespace
}  // namespace maejin
