// Page streams as files: text to read and write by hand, or fixed records for gigabytes of them.
//
// Text, one event a line, `#` begins a comment:
//   object ID NAME BYTES [BASE]                      numbered from 0 in order
//   TIME OBJECT PAGE r|w [ACCESSES]                  a visit of the GPU; TIME in ns, never backwards;
//   ACCESSES,
//                                                    1 to 1,000,000, is what Forest counts it for (1)
//   cpu TIME OBJECT PAGE r|w
//   kernel TIME NAME
//   prefetch TIME OBJECT FIRST COUNT gpu|cpu         cudaMemPrefetchAsync
//   advise TIME OBJECT FIRST COUNT preferred-gpu|preferred-cpu|accessed-by|read-mostly|unset
// Binary: the eight bytes "WGUVM1\n\0", then records of 32 bytes, little endian: time u64, page u64, count
// u64 (of a visit: ACCESSES, 0 as 1), object u32, kind u8, flags u8 (1 = write or to the device), advice u8,
// length of the name behind the record u8.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "host/uvm/event.hpp"
#include "trace/output_file.hpp"

namespace wg::host::uvm {

/// Tells text and binary apart by the first bytes. Memory does not grow with the stream. Throws wg::Error
/// with file and line (offset of the record in binary files) for what is no event.
std::unique_ptr<EventSource> open_stream(const std::string& path);

/// Writes to a file, which is there under its name when `close` has returned and not before, or to standard
/// output for "-". Throws wg::Error when it cannot.
class StreamWriter final : public EventSink {
 public:
  StreamWriter(const std::string& path, bool binary);
  void put(const Event& event) override;
  /// Everything is in the file, or wg::Error.
  void close();

 private:
  void flush();
  [[noreturn]] static void fail();

  std::optional<trace::OutputFile> file_;  ///< none: standard output
  bool binary_;
  std::string buffer_;
};

}  // namespace wg::host::uvm
