// From a path to a workload: which list, which kernel files, headers and hash.
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "trace/block_header.hpp"
#include "trace/kernel_file.hpp"
#include "trace/kernels_list.hpp"
#include "trace/native.hpp"
#include "trace/opened.hpp"
#include "trace/scan.hpp"

namespace wg::trace {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHashedBytes = std::size_t{1} << 20;  // of each kernel file, beside its size
constexpr std::size_t kMostProblems = 20;
constexpr std::size_t kLongestList = std::size_t{256} << 20;

class Hasher {
 public:
  Hasher() : state_(XXH3_createState(), &XXH3_freeState) { XXH3_64bits_reset(state_.get()); }
  void add(std::string_view bytes) {
    const std::uint64_t size = bytes.size();
    XXH3_64bits_update(state_.get(), &size, sizeof(size));
    XXH3_64bits_update(state_.get(), bytes.data(), bytes.size());
  }
  /// Name, size and beginning: enough to notice a file that was changed, cheap for one of 100 GB.
  void add_file(const std::string& name, const std::string& path) {
    add(name);
    add(fmt::format("{}", fs::file_size(path)));
    std::string head(kHashedBytes, '\0');
    head.resize(open_plain_file(path)->read(head));
    add(head);
  }
  [[nodiscard]] std::uint64_t value() const { return XXH3_64bits_digest(state_.get()); }

 private:
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state_;
};

std::string read_all(const std::string& path) {
  const std::unique_ptr<ByteStream> stream = open_file(path);
  std::string text;
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + (std::size_t{64} << 10));
    const std::size_t got = stream->read({text.data() + before, text.size() - before});
    text.resize(before + got);
    if (got == 0) {
      return text;
    }
    if (text.size() > kLongestList) {
      throw Error(Problem{path, "a kernels list", "over 256 MiB of text", ""});
    }
  }
}

/// True if the text of `path` begins as a kernel file does.
bool is_kernel_file(const std::string& path) {
  std::string head(4096, '\0');
  head.resize(open_file(path)->read(head));
  const char* p = skip_empty_lines(head.c_str());
  return *p == '-' || *p == '#';
}

/// The ways a file of a list may have been renamed after the list was written: packed, unpacked, grouped.
std::vector<std::string> spellings(const std::string& named) {
  std::string plain = named;
  plain.erase(plain.size() - suffix_of(compression_by_suffix(plain)).size());
  std::vector<std::string> stems = {plain};
  if (plain.ends_with(".trace")) {
    stems.push_back(plain + "g");
  }
  std::vector<std::string> out = {named};
  for (const std::string& stem : stems) {
    for (const Compression c : {Compression::none, Compression::xz, Compression::gz, Compression::zst}) {
      out.push_back(stem + std::string(suffix_of(c)));
    }
  }
  return out;
}

/// Path of the file that `named` stands for; empty if there is none.
std::string find_kernel(const fs::path& folder, const std::string& named) {
  for (const std::string& spelling : spellings(named)) {
    const fs::path path = folder / spelling;
    if (fs::is_regular_file(path)) {
      return path.string();
    }
  }
  return {};
}

/// Names of the kernel files of a folder without a list, in order of their kernel number.
std::string list_of_folder(const fs::path& folder) {
  std::vector<std::pair<std::uint64_t, std::string>> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    constexpr std::string_view kPrefix = "kernel-";
    std::uint64_t number = 0;
    if (name.starts_with(kPrefix) && name.find(".trace") != std::string::npos &&
        scan_decimal(name.c_str() + kPrefix.size(), number) != nullptr) {
      found.emplace_back(number, name);
    }
  }
  std::sort(found.begin(), found.end());
  std::string text;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (i > 0 && found[i].first == found[i - 1].first) {
      throw Error(Problem{folder.string(), "a kernels list or one file for each kernel",
                          fmt::format("{} and {}", found[i - 1].second, found[i].second), ""});
    }
    text += found[i].second + "\n";
  }
  return text;
}

/// The list inside `folder`; empty if there is none.
fs::path find_list(const fs::path& folder) {
  for (const char* name : {"kernelslist.g", "kernelslist"}) {
    if (fs::is_regular_file(folder / name)) {
      return folder / name;
    }
  }
  std::vector<std::string> contexts;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("kernelslist")) {
      contexts.push_back(entry.path().string());
    }
  }
  std::sort(contexts.begin(), contexts.end());
  if (contexts.size() > 1) {
    throw Error(Problem{folder.string(), "one kernels list", fmt::format("{} of them", contexts.size()),
                        "name one, e.g. " + contexts.front()});
  }
  return contexts.empty() ? fs::path{} : fs::path(contexts.front());
}

class Opener {
 public:
  explicit Opener(const std::string& path) : path_(path) { workload_.name = path; }

  Opened open() {
    if (fs::is_directory(path_)) {
      open_folder();
    } else if (!fs::exists(path_)) {
      throw Error(Problem{path_, "a kernels list, a folder with one, or a kernel file", "no such file", ""});
    } else if (path_.ends_with(".tracez") || is_kernel_file(path_)) {
      add_kernel(path_, fs::path(path_).filename().string());
    } else {
      workload_.files.push_back(path_);
      open_list(read_all(path_), path_, fs::path(path_).parent_path());
    }
    workload_.hash = hash_.value();
    return {std::move(workload_), std::move(problems_)};
  }

 private:
  void open_folder() {
    const fs::path list = find_list(path_);
    const std::string text = list.empty() ? list_of_folder(path_) : read_all(list.string());
    if (list.empty() && text.empty()) {
      throw Error(Problem{path_,
                          "kernelslist.g, kernelslist, kernelslist_ctx_* or kernel-N.traceg in the folder",
                          "none", ""});
    }
    if (!list.empty()) {
      workload_.files.push_back(list.string());
    }
    open_list(text, list.empty() ? path_ : list.string(), path_);
  }

  void open_list(const std::string& text, const std::string& name, const fs::path& folder) {
    hash_.add(text);
    KernelsList list = parse_kernels_list(text, name);
    problems_ = std::move(list.problems);
    workload_.warnings = std::move(list.warnings);
    for (const auto& entry : list.entries) {
      if (const Copy* copy = std::get_if<Copy>(&entry)) {
        workload_.commands.emplace_back(*copy);
      } else {
        listed_kernel(std::get<KernelEntry>(entry), name, folder);
      }
    }
    if (workload_.commands.empty() && problems_.empty()) {
      throw Error(Problem{name, "at least one kernel or copy", text.empty() ? "an empty file" : "none", ""});
    }
  }

  void listed_kernel(const KernelEntry& entry, const std::string& list, const fs::path& folder) {
    const std::string found = find_kernel(folder, entry.file);
    if (found.empty()) {
      problems_.push_back({fmt::format("{}:{}", list, entry.line),
                           fmt::format("the file {}", (folder / entry.file).string()), "none",
                           "tried .trace and .traceg, plain, .xz, .gz and .zst"});
      return;
    }
    try {
      add_kernel(found, entry.file);
    } catch (const Error& error) {
      problems_.insert(problems_.end(), error.problems().begin(), error.problems().end());
    }
  }

  void add_kernel(const std::string& path, const std::string& name) {
    workload_.commands.emplace_back(open_kernel_file(path));
    workload_.files.push_back(path);
    hash_.add_file(name, path);
  }

  std::string path_;
  Workload workload_;
  Hasher hash_;
  std::vector<Problem> problems_;
};

}  // namespace

Opened open_readable(const std::string& path) {
  try {
    if (is_native(path)) {
      Opened native{open_native(path), {}};
      native.workload.files = {path};
      return native;
    }
    return Opener(path).open();
  } catch (const fs::filesystem_error& error) {
    throw Error(Problem{path, "a readable trace", error.code().message(), ""});
  }
}

Workload open_trace(const std::string& path) {
  Opened opened = open_readable(path);
  if (!opened.problems.empty()) {
    if (opened.problems.size() > kMostProblems) {
      const std::size_t more = opened.problems.size() - kMostProblems;
      opened.problems.resize(kMostProblems);
      opened.problems.push_back({path, "", fmt::format("{} more problems", more), ""});
    }
    throw Error(std::move(opened.problems));
  }
  return std::move(opened.workload);
}

}  // namespace wg::trace
