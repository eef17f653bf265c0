// Cuts a grouped trace into CTAs. Serial, so it looks at nothing but '#' and the block's index.
#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "trace/block_header.hpp"
#include "trace/cta_set.hpp"
#include "trace/kernel_file.hpp"

namespace wg::trace {
namespace {

constexpr std::string_view kBegin = "#BEGIN_TB";
constexpr std::string_view kEnd = "#END_TB";

class GroupedSource final : public CtaSource {
 public:
  explicit GroupedSource(std::shared_ptr<const KernelFile> file)
      : file_(std::move(file)), grid_(file_->parsed.header.grid), reader_(open_body(*file_)) {}

  /// After an error about one block's index the next call goes on behind that block; after any other error
  /// there is nothing more.
  bool next(CtaBlob& out) override {
    if (ended_) {
      return false;
    }
    ended_ = true;  // unless this call gets to its end
    if (!find_begin()) {
      finish();
      return false;
    }
    out.text.clear();
    out.offset = reader_.offset();
    out.line = reader_.line_number();
    take_block(out.text);
    out.number = count_++;
    ended_ = false;
    check_index(out);
    return true;
  }

 private:
  /// Skips blank lines; true with the view at "#BEGIN_TB", false at the end of the file.
  bool find_begin() {
    for (;;) {
      const std::string_view text = reader_.view();
      const std::size_t at = text.find_first_not_of(" \t\r\n");
      reader_.consume(at == std::string_view::npos ? text.size() : at);
      if (at != std::string_view::npos && text.size() - at >= kBegin.size()) {
        break;
      }
      if (!reader_.more()) {
        if (reader_.view().empty()) {
          return false;
        }
        break;
      }
    }
    if (!reader_.view().starts_with(kBegin)) {
      const std::string_view text = reader_.view();
      fail("`#BEGIN_TB` or the end of the file", quoted(text.substr(0, text.find('\n'))));
    }
    return true;
  }

  /// Moves everything up to the "#END_TB" line into `text` and takes that line off.
  void take_block(std::string& text) {
    std::size_t from = 1;  // behind the '#' of "#BEGIN_TB"
    for (;;) {
      const std::string_view view = reader_.view();
      const void* const found =
          from < view.size() ? std::memchr(view.data() + from, '#', view.size() - from) : nullptr;
      if (found == nullptr) {
        append(text, view.size());
        from = 0;
        refill();
        continue;
      }
      const std::size_t at = static_cast<std::size_t>(static_cast<const char*>(found) - view.data());
      append(text, at);
      from = 1;
      while (reader_.view().size() <= kBegin.size()) {
        if (!reader_.more()) {
          break;
        }
      }
      if (text.ends_with('\n') && end_of_block()) {
        return;
      }
    }
  }

  /// The view begins with '#' at the start of a line.
  bool end_of_block() {
    const std::string_view view = reader_.view();
    if (view.starts_with(kBegin)) {
      fail("`#END_TB`", "`#BEGIN_TB` of the next thread block");
    }
    if (!view.starts_with(kEnd) || (view.size() > kEnd.size() && !ends_line(view[kEnd.size()]))) {
      return false;  // the decoder says what is wrong with the line
    }
    reader_.consume(kEnd.size());
    return true;
  }
  static bool ends_line(char c) { return c == '\n' || c == '\r' || c == ' ' || c == '\t'; }

  void append(std::string& text, std::size_t count) {
    text.append(reader_.view().data(), count);
    reader_.consume(count);
  }
  void refill() {
    if (!reader_.more()) {
      fail("`#END_TB`", "the end of the file");
    }
  }

  void check_index(const CtaBlob& blob) {
    Dim3 index;
    BlockFault fault;
    if (scan_block_header(blob.text, grid_, index, fault) == nullptr) {
      const std::size_t before = static_cast<std::size_t>(fault.at - blob.text.data());
      throw Error(Problem{place(blob.line + count_newlines(std::string_view(blob.text).substr(0, before))),
                          std::move(fault.expected), std::move(fault.found), ""});
    }
    if (!seen_.insert(linear_index(index, grid_))) {
      throw Error(
          Problem{place(blob.line), "each thread block once", "a second block " + text_of(index), ""});
    }
  }

  void finish() {
    if (count_ != grid_.count()) {
      fail(fmt::format("{} thread blocks for the grid {}", grid_.count(), text_of(grid_)),
           fmt::format("{} at the end of the file", count_));
    }
  }

  [[nodiscard]] std::string place(std::uint64_t line) const {
    return fmt::format("{}:{}", file_->name, line);
  }
  [[noreturn]] void fail(std::string expected, std::string found) const {
    throw Error(Problem{reader_.place(), std::move(expected), std::move(found), ""});
  }

  std::shared_ptr<const KernelFile> file_;
  Dim3 grid_;
  BlockReader reader_;
  CtaSet seen_;
  std::uint64_t count_ = 0;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<CtaSource> make_grouped_source(std::shared_ptr<const KernelFile> file) {
  return std::make_unique<GroupedSource>(std::move(file));
}

}  // namespace wg::trace
