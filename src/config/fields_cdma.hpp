// Rows of the compressing DMA engine, in a file of their own. Private to this room.
#pragma once

#include <vector>

#include "config/field_access.hpp"

namespace wg::config::detail {

void add_cdma(std::vector<Field>& rows);

}  // namespace wg::config::detail
