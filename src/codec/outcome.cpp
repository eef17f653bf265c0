#include "codec/outcome.hpp"

namespace wg::codec {

std::string_view text_of(Status status) {
  switch (status) {
    case Status::ok:
      return "nothing wrong";
    case Status::no_room:
      return "more data than the output holds";
    case Status::element:
      return "an element size other than 1, 2, 4 or 8 bytes";
    case Status::truncated:
      return "an end before the data that was announced";
    case Status::trailing:
      return "bytes after the last element";
    case Status::tail_bits:
      return "a bit set for an element past the end";
    case Status::token:
      return "a run of no length or beyond the end";
    case Status::deflate:
      return "an invalid deflate stream";
  }
  return "an unknown status";
}

}  // namespace wg::codec
