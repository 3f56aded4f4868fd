// The booking contract over the embedded store.
#include "tests/support/embedded_booking.h"

namespace maejin {
namespace {

const BookingStoreFactory kEmbedded{"embedded", [] { return std::make_unique<EmbeddedBookingUnderTest>(); }};

INSTANTIATE_TEST_SUITE_P(Embedded, BookingContract, testing::Values(kEmbedded),
                         [](const auto& suite) { return suite.param.name; });
INSTANTIATE_TEST_SUITE_P(Embedded, BookingOperationsContract, testing::Values(kEmbedded),
                         [](const auto& suite) { return suite.param.name; });

}  // namespace
}  // namespace maejin
