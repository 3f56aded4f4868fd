// As precompiled.h, for the test programs.
#pragma once
#include "cmake/precompiled.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
