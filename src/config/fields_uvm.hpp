// Rows of the field table that stand in a file of their own. Private to this room.
#pragma once

#include <vector>

#include "config/field_access.hpp"

namespace wg::config::detail {

void add_uvm(std::vector<Field>& rows);

}  // namespace wg::config::detail
