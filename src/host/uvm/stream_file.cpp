#include "host/uvm/stream_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace wg::host::uvm {
namespace {

constexpr std::string_view kMagic{"WGUVM1\n\0", 8};
constexpr std::size_t kRecord = 32;
constexpr std::size_t kChunk = 1 << 20;
constexpr std::array<std::string_view, 5> kAdvice{"preferred-gpu", "preferred-cpu", "accessed-by",
                                                  "read-mostly", "unset"};

/// A file as a window that refills.
class Input {
 public:
  explicit Input(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "rb")) {
    if (file_ == nullptr) {
      throw Error({.where = path, .expected = "a page stream", .found = "nothing that can be read"});
    }
  }
  ~Input() { std::fclose(file_); }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string_view rest() const { return std::string_view(data_).substr(at_); }
  void skip(std::size_t bytes) { at_ += bytes; }
  /// Reads on. False at the end of the file.
  bool more() {
    data_.erase(0, at_);
    at_ = 0;
    const std::size_t had = data_.size();
    data_.resize(had + kChunk);
    const std::size_t got = std::fread(data_.data() + had, 1, kChunk, file_);
    data_.resize(had + got);
    if (got == 0 && std::ferror(file_) != 0) {
      throw Error({.where = path_, .expected = "a page stream", .found = "an error while reading"});
    }
    return got != 0;
  }

 private:
  std::string path_;
  std::FILE* file_;
  std::string data_;
  std::size_t at_ = 0;
};

class TextSource final : public EventSource {
 public:
  explicit TextSource(std::unique_ptr<Input> input) : input_(std::move(input)) {}

  bool next(Event& out) override {
    std::string_view line;
    while (take(line)) {
      ++line_;
      const std::size_t comment = line.find('#');
      words(line.substr(0, comment));
      if (count_ != 0) {
        parse(out);
        return true;
      }
    }
    return false;
  }
  [[nodiscard]] std::string where() const override { return fmt::format("{}:{}", input_->path(), line_); }

 private:
  bool take(std::string_view& line) {
    for (;;) {
      const std::string_view rest = input_->rest();
      const std::size_t end = rest.find('\n');
      if (end != std::string_view::npos) {
        line = rest.substr(0, end);
        input_->skip(end + 1);
        return true;
      }
      if (rest.size() > kChunk) {
        ++line_;
        refuse("a line of at most 1 MiB", "a longer one");
      }
      if (!input_->more()) {
        line = input_->rest();
        input_->skip(line.size());
        return !line.empty();
      }
    }
  }
  void words(std::string_view line) {
    count_ = 0;
    for (std::size_t at = 0; at < line.size();) {
      const bool blank = line[at] == ' ' || line[at] == '\t' || line[at] == '\r';
      if (blank) {
        ++at;
        continue;
      }
      std::size_t end = at;
      while (end < line.size() && line[end] != ' ' && line[end] != '\t' && line[end] != '\r') {
        ++end;
      }
      if (count_ == words_.size()) {
        refuse(fmt::format("at most {} words", words_.size()), "more");
      }
      words_[count_++] = line.substr(at, end - at);
      at = end;
    }
  }
  [[noreturn]] void refuse(std::string expected, std::string found) const {
    throw Error({.where = where(), .expected = std::move(expected), .found = std::move(found)});
  }
  void need(std::size_t least, std::size_t most, const char* form) const {
    if (count_ < least || count_ > most) {
      refuse(form, fmt::format("{} words", count_));
    }
  }
  [[nodiscard]] std::uint64_t number(std::size_t index, const char* what) const {
    std::string_view text = words_[index];
    const bool hex = text.starts_with("0x");
    text.remove_prefix(hex ? 2 : 0);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
    if (error != std::errc() || end != text.data() + text.size()) {
      refuse(fmt::format("{} as a whole number", what), quoted(words_[index]));
    }
    return value;
  }
  [[nodiscard]] static std::string quoted(std::string_view text) {
    return fmt::format("\"{}\"", text.substr(0, 40));
  }
  [[nodiscard]] std::uint32_t object(std::size_t index) const {
    const std::uint64_t value = number(index, "an object");
    if (value > 0xFFFFFFFFULL) {
      refuse("an object below 2^32", quoted(words_[index]));
    }
    return static_cast<std::uint32_t>(value);
  }
  [[nodiscard]] bool write(std::size_t index) const {
    if (words_[index] != "r" && words_[index] != "w") {
      refuse("r or w", quoted(words_[index]));
    }
    return words_[index] == "w";
  }
  void access(Event& out, EventKind kind, std::size_t first, const char* form) {
    need(first + 4, kind == EventKind::gpu ? 5 : first + 4, form);
    out.kind = kind;
    out.accesses = kind == EventKind::gpu && count_ == 5 ? number(4, "a count of accesses") : 1;
    out.time_ns = number(first, "a time in ns");
    out.object = object(first + 1);
    out.page = number(first + 2, "a page");
    out.write = write(first + 3);
  }
  void range(Event& out, const char* form) {
    need(6, 6, form);
    out.time_ns = number(1, "a time in ns");
    out.object = object(2);
    out.page = number(3, "a page");
    out.count = number(4, "a count of pages");
  }

  void parse(Event& out) {
    const std::string_view word = words_[0];
    if (word[0] >= '0' && word[0] <= '9') {
      access(out, EventKind::gpu, 0, "TIME OBJECT PAGE r|w [ACCESSES]");
    } else if (word == "cpu") {
      access(out, EventKind::cpu, 1, "cpu TIME OBJECT PAGE r|w");
    } else if (word == "object") {
      need(4, 5, "object ID NAME BYTES [BASE]");
      out.kind = EventKind::object;
      out.object = object(1);
      out.name = words_[2];
      out.count = number(3, "a size in bytes");
      out.base = count_ > 4 ? number(4, "an address") : 0;
    } else if (word == "kernel") {
      need(3, 3, "kernel TIME NAME");
      out.kind = EventKind::kernel;
      out.time_ns = number(1, "a time in ns");
      out.name = words_[2];
    } else if (word == "prefetch") {
      range(out, "prefetch TIME OBJECT FIRST COUNT gpu|cpu");
      out.kind = EventKind::prefetch;
      out.to_device = words_[5] == "gpu";
      if (words_[5] != "gpu" && words_[5] != "cpu") {
        refuse("gpu or cpu", quoted(words_[5]));
      }
    } else if (word == "advise") {
      range(out, "advise TIME OBJECT FIRST COUNT ADVICE");
      out.kind = EventKind::advise;
      const auto at = std::find(kAdvice.begin(), kAdvice.end(), words_[5]);
      if (at == kAdvice.end()) {
        refuse("preferred-gpu, preferred-cpu, accessed-by, read-mostly or unset", quoted(words_[5]));
      }
      out.advice = static_cast<Advice>(at - kAdvice.begin());
    } else {
      refuse("a time in ns, object, kernel, cpu, prefetch or advise", quoted(word));
    }
  }

  std::unique_ptr<Input> input_;
  std::uint64_t line_ = 0;
  std::array<std::string_view, 8> words_;
  std::size_t count_ = 0;
};

template <class T>
T load(const char* from) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value = static_cast<T>(value | static_cast<T>(T{static_cast<unsigned char>(from[i])} << (8 * i)));
  }
  return value;
}

template <class T>
void store(std::string& to, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    to += static_cast<char>(value >> (8 * i) & 0xFF);
  }
}

class BinarySource final : public EventSource {
 public:
  explicit BinarySource(std::unique_ptr<Input> input) : input_(std::move(input)) {
    input_->skip(kMagic.size());
  }

  bool next(Event& out) override {
    offset_ = next_;
    if (!have(kRecord)) {
      if (!input_->rest().empty()) {
        refuse("a record of 32 bytes", fmt::format("{} bytes", input_->rest().size()));
      }
      return false;
    }
    const char* data = input_->rest().data();
    const auto kind = load<std::uint8_t>(data + 28);
    const auto advice = load<std::uint8_t>(data + 30);
    const std::size_t name = load<std::uint8_t>(data + 31);
    if (kind > static_cast<std::uint8_t>(EventKind::advise)) {
      refuse("an event of kind 0 to 5", fmt::format("kind {}", kind));
    }
    if (advice > static_cast<std::uint8_t>(Advice::unset)) {
      refuse("advice 0 to 4", fmt::format("advice {}", advice));
    }
    out.time_ns = load<std::uint64_t>(data);
    out.page = load<std::uint64_t>(data + 8);
    out.count = load<std::uint64_t>(data + 16);
    out.object = load<std::uint32_t>(data + 24);
    out.kind = static_cast<EventKind>(kind);
    out.accesses = out.kind == EventKind::gpu ? std::max<std::uint64_t>(out.count, 1) : 1;
    out.advice = static_cast<Advice>(advice);
    out.write = (data[29] & 1) != 0;
    out.to_device = out.write;
    out.base = out.kind == EventKind::object ? out.page : 0;
    input_->skip(kRecord);
    if (name != 0) {
      if (!have(name)) {
        refuse(fmt::format("a name of {} bytes", name), "the end of the file");
      }
      out.name = input_->rest().substr(0, name);
      input_->skip(name);
    }
    next_ += kRecord + name;
    return true;
  }
  [[nodiscard]] std::string where() const override { return fmt::format("{}@{}", input_->path(), offset_); }

 private:
  bool have(std::size_t bytes) {
    while (input_->rest().size() < bytes) {
      if (!input_->more()) {
        return false;
      }
    }
    return true;
  }
  [[noreturn]] void refuse(std::string expected, std::string found) const {
    throw Error({.where = where(), .expected = std::move(expected), .found = std::move(found)});
  }

  std::unique_ptr<Input> input_;
  std::uint64_t offset_ = 0;
  std::uint64_t next_ = kMagic.size();
};

void put_text(std::string& out, const Event& event) {
  const char access = event.write ? 'w' : 'r';
  const auto to = std::back_inserter(out);
  switch (event.kind) {
    case EventKind::gpu:
      fmt::format_to(to, "{} {} {} {}", event.time_ns, event.object, event.page, access);
      event.accesses == 1 ? out += '\n' : (fmt::format_to(to, " {}\n", event.accesses), out);
      break;
    case EventKind::cpu:
      fmt::format_to(to, "cpu {} {} {} {}\n", event.time_ns, event.object, event.page, access);
      break;
    case EventKind::object:
      fmt::format_to(to, "object {} {} {}", event.object, event.name, event.count);
      event.base == 0 ? out += '\n' : (fmt::format_to(to, " {:#x}\n", event.base), out);
      break;
    case EventKind::kernel:
      fmt::format_to(to, "kernel {} {}\n", event.time_ns, event.name);
      break;
    case EventKind::prefetch:
      fmt::format_to(to, "prefetch {} {} {} {} {}\n", event.time_ns, event.object, event.page, event.count,
                     event.to_device ? "gpu" : "cpu");
      break;
    case EventKind::advise:
      fmt::format_to(to, "advise {} {} {} {} {}\n", event.time_ns, event.object, event.page, event.count,
                     kAdvice[static_cast<std::size_t>(event.advice)]);
      break;
  }
}

void put_binary(std::string& out, const Event& event) {
  const bool named = event.kind == EventKind::object || event.kind == EventKind::kernel;
  const std::string name = named ? event.name.substr(0, 255) : "";
  store(out, event.time_ns);
  store(out, event.kind == EventKind::object ? event.base : event.page);
  store(out, event.kind == EventKind::gpu ? event.accesses : event.count);
  store(out, event.object);
  store(out, static_cast<std::uint8_t>(event.kind));
  const bool flag = event.kind == EventKind::prefetch ? event.to_device : event.write;
  store(out, static_cast<std::uint8_t>(flag ? 1 : 0));
  store(out, static_cast<std::uint8_t>(event.advice));
  store(out, static_cast<std::uint8_t>(name.size()));
  out += name;
}

}  // namespace

std::unique_ptr<EventSource> open_stream(const std::string& path) {
  auto input = std::make_unique<Input>(path);
  while (input->rest().size() < kMagic.size() && input->more()) {
  }
  if (input->rest().starts_with(kMagic)) {
    return std::make_unique<BinarySource>(std::move(input));
  }
  return std::make_unique<TextSource>(std::move(input));
}

StreamWriter::StreamWriter(const std::string& path, bool binary)
    : binary_(binary),
      buffer_(binary ? std::string(kMagic) : "# warpgauge page stream: TIME OBJECT PAGE r|w [ACCESSES]\n") {
  if (path != "-") {
    file_.emplace(path);
  }
}

void StreamWriter::put(const Event& event) {
  binary_ ? put_binary(buffer_, event) : put_text(buffer_, event);
  if (buffer_.size() > kChunk) {
    flush();
  }
}

void StreamWriter::flush() {
  if (file_) {
    file_->write(buffer_);
  } else if (std::fwrite(buffer_.data(), 1, buffer_.size(), stdout) != buffer_.size()) {
    fail();
  }
  buffer_.clear();
}

void StreamWriter::close() {
  flush();
  if (file_) {
    file_->finish();
  } else if (std::fflush(stdout) != 0) {
    fail();
  }
}

void StreamWriter::fail() {
  throw Error({.where = "-", .expected = "room for the page stream", .found = "a write that failed"});
}

}  // namespace wg::host::uvm
