#include "config/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "config/document.hpp"
#include "config/resolver.hpp"
#include "config/suggest.hpp"

namespace wg::config {
namespace {

namespace fs = std::filesystem;
using detail::Resolver;

constexpr std::string_view kSuffix = ".toml";

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

/// `stem`.toml or `stem` itself.
std::optional<fs::path> file_at(const fs::path& stem) {
  const fs::path with_suffix = stem.string() + std::string(kSuffix);
  if (is_file(with_suffix)) {
    return with_suffix;
  }
  return is_file(stem) ? std::optional(stem) : std::nullopt;
}

std::optional<fs::path> find_machine(const std::string& name, const Directories& directories) {
  if (name.empty() || name.find('\0') != std::string::npos) {
    return std::nullopt;
  }
  for (const fs::path& directory : directories) {
    if (auto found = file_at(directory / name)) {
      return found;
    }
  }
  return file_at(name);
}

/// One file of the chain.
struct Link {
  std::string file;
  Document document;
};

/// Follows `inherits` from one file to the last.
class Chain {
 public:
  Chain(const Directories& directories, std::vector<Problem>& problems)
      : directories_(directories), problems_(problems) {}

  void read(fs::path path) {
    for (std::optional<fs::path> next = std::move(path); next.has_value();) {
      Link link{next->string(), {}};
      std::string text;
      if (!read_text(*next, text)) {
        problems_.push_back({link.file, "a readable file", "one that cannot be read", ""});
        return;
      }
      link.document = parse_document(text, link.file, problems_);
      seen_.push_back(canonical(*next));
      links_.push_back(std::move(link));
      next = parent_of(links_.back(), next->parent_path());
    }
  }

  [[nodiscard]] const std::vector<Link>& links() const { return links_; }

 private:
  static fs::path canonical(const fs::path& path) {
    std::error_code error;
    fs::path real = fs::canonical(path, error);
    return error ? path : real;
  }

  static bool read_text(const fs::path& path, std::string& text) {
    std::ifstream in(path, std::ios::binary);
    text.resize(kMaxDocument + 1);  // one more than is allowed, so that a longer file is noticed
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    return in.good() || in.eof();
  }

  std::optional<fs::path> parent_of(const Link& link, const fs::path& folder) {
    const auto& entries = link.document.entries;
    const auto entry =
        std::find_if(entries.begin(), entries.end(), [](const Entry& e) { return e.key == "inherits"; });
    if (entry == entries.end()) {
      return std::nullopt;
    }
    const std::string where =
        fmt::format("{}:{}:{}", link.file, entry->value_at.line, entry->value_at.column);
    const auto* name = std::get_if<std::string>(&entry->value);
    if (name == nullptr) {
      problems_.push_back({where, "inherits as the name or path of one machine file", "another type", ""});
      return std::nullopt;
    }
    Directories places{folder};
    places.insert(places.end(), directories_.begin(), directories_.end());
    const auto found = find_machine(*name, places);
    if (!found) {
      problems_.push_back({where, "a machine file to inherit from", toml_string(*name), ""});
    } else if (std::find(seen_.begin(), seen_.end(), canonical(*found)) != seen_.end()) {
      problems_.push_back(
          {where, "inherits without a circle", toml_string(*name) + ", which leads back here", ""});
      return std::nullopt;
    }
    return found;
  }

  const Directories& directories_;
  std::vector<Problem>& problems_;
  std::vector<Link> links_;
  std::vector<fs::path> seen_;
};

std::vector<std::pair<std::string, fs::path>> files_in(const Directories& directories) {
  std::vector<std::pair<std::string, fs::path>> files;
  for (const fs::path& directory : directories) {
    std::error_code error;
    for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
      const std::string name = at->path().stem().string();
      const bool shadowed = std::any_of(files.begin(), files.end(), [&](const auto& file) {
        return file.first == name && file.second.parent_path() != directory;
      });
      if (at->path().extension() == kSuffix && is_file(at->path()) && !shadowed) {
        files.emplace_back(name, at->path());
      }
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

[[noreturn]] void no_such_machine(const std::string& name, const Directories& directories) {
  std::vector<std::string> names;
  for (const auto& [known, path] : files_in(directories)) {
    names.push_back(known);
  }
  std::string advice = did_you_mean(nearest(name, names));
  if (advice.empty()) {
    advice = names.empty() ? "no machine files in the search path; set WARPGAUGE_GPUS"
                           : fmt::format("known: {}", fmt::join(names, ", "));
  }
  throw Error(
      Problem{"machine", "the name of a machine or the path of a machine file", toml_string(name), advice});
}

}  // namespace

Directories machine_directories(const fs::path& prefix) {
  Directories directories;
  if (const char* list = std::getenv("WARPGAUGE_GPUS")) {
    std::string_view rest = list;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(':'), rest.size());
      if (end > 0) {
        directories.emplace_back(rest.substr(0, end));
      }
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  directories.push_back(prefix / "gpus");
  return directories;
}

LoadedMachine load(const std::string& name_or_path, std::span<const std::string> overrides,
                   const Directories& directories) {
  const auto path = find_machine(name_or_path, directories);
  if (!path) {
    no_such_machine(name_or_path, directories);
  }
  Resolver resolver;
  Chain chain(directories, resolver.problems());
  chain.read(*path);
  const bool readable = resolver.problems().empty();
  const std::size_t name = find_field("name");
  for (std::size_t i = chain.links().size(); i-- > 0;) {
    const Link& link = chain.links()[i];
    // A name belongs to one file: it is not inherited.
    resolver.result().machine.name = path->stem().string();
    resolver.result().origins[name] = {"", "name of the file", 0};
    resolver.apply(link.document, link.file);
    resolver.result().files.insert(resolver.result().files.begin(), link.file);
  }
  for (const std::string& assignment : overrides) {
    resolver.apply_override(assignment);
  }
  if (readable) {  // a file that could not be read would only make noise here
    resolver.require_all(path->string());
    resolver.check_rules();
  }
  resolver.throw_if_bad();
  return std::move(resolver.result());
}

Machine load_machine(const std::string& name_or_path, std::span<const std::string> overrides,
                     const Directories& directories) {
  return load(name_or_path, overrides, directories).machine;
}

void apply_override(Machine& machine, std::string_view assignment) {
  Resolver resolver(machine);
  resolver.apply_override(assignment);
  resolver.check_rules();
  resolver.throw_if_bad();
  machine = resolver.result().machine;
}

void check_machine(const Machine& machine) {
  Resolver resolver(machine);
  resolver.check_ranges();
  resolver.check_rules();
  resolver.throw_if_bad();
}

std::vector<MachineEntry> list_machines(const Directories& directories) {
  std::vector<MachineEntry> list;
  for (const auto& [name, path] : files_in(directories)) {
    MachineEntry entry{name, path, {}, {}};
    try {
      entry.title = load(path.string(), {}, directories).machine.title;
    } catch (const Error& error) {
      entry.problem = error.what();
    }
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace wg::config
