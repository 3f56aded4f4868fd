// The booking contract over the embedded store.
#include "tests/support/embedded_booking.h"

namespace maejin {
namespace {

INSTANTIATE_TEST_SUITE_P(Embedded, BookingContract,
                         testing::Values(BookingStoreFactory{
                             "embedded", [] { return std::make_unique<EmbeddedBookingUnderTest>(); }}),
                         [](const auto& suite) { return suite.param.name; });

}  // namespace
}  // namespace maejin
