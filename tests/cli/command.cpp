#include "command.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace wg::cli {
namespace {

[[noreturn]] void become(const std::vector<std::string>& arguments, const Variables& variables,
                         const std::string& out, const std::string& err) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
  dup2(open(out.c_str(), kFlags, 0600), STDOUT_FILENO);
  dup2(open(err.c_str(), kFlags, 0600), STDERR_FILENO);
  for (const char* name : {"LC_ALL", "LANG", "LC_CTYPE", "WARPGAUGE_GPUS"}) {
    unsetenv(name);
  }
  for (const auto& [name, value] : variables) {
    setenv(name.c_str(), value.c_str(), 1);
  }
  std::vector<std::string> words{program()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  execv(pointers.front(), pointers.data());
  _exit(127);
}

Outcome run(const std::vector<std::string>& arguments, const Variables& variables, int signal, int after_ms) {
  const Folder folder;
  const std::string out = folder / "out";
  const std::string err = folder / "err";
  const pid_t child = fork();
  if (child == 0) {
    become(arguments, variables, out, err);
  }
  if (after_ms > 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(after_ms));
    kill(child, signal);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read(out), read(err)};
}

}  // namespace

std::string program() {
  const char* other = std::getenv("WG_BINARY");
  return other != nullptr ? other : WG_BINARY;
}

Outcome run(const std::vector<std::string>& arguments, const Variables& variables) {
  return run(arguments, variables, 0, 0);
}

Outcome run_and_signal(const std::vector<std::string>& arguments, int signal, int after_ms) {
  return run(arguments, {}, signal, after_ms);
}

Folder::Folder() {
  std::string pattern = testing::TempDir() + "warpgauge_cli_XXXXXX";
  path_ = mkdtemp(pattern.data());
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string Folder::file(const std::string& name, const std::string& content) const {
  std::ofstream(*this / name, std::ios::binary) << content;
  return *this / name;
}

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string tiny_trace(const Folder& folder) {
  const auto kernel = [](int id, const char* name) {
    std::ostringstream text;
    text << "-kernel name = " << name << "\n-kernel id = " << id
         << "\n-grid dim = (2,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 16\n-binary version = 70\n"
            "-cuda stream id = 0\n-shmem base_addr = 0x00007f0000000000\n-local mem base_addr = "
            "0x00007f1000000000\n"
            "-nvbit version = 1.5.5\n-accelsim tracer version = 4\n\n#traces format = [line_num] PC mask "
            "dest_num "
            "[reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses] immediate\n\n";
    for (int cta = 0; cta < 2; ++cta) {
      text << "#BEGIN_TB\n\nthread block = " << cta << ",0,0\n\nwarp = 0\ninsts = 4\n"
           << "0000 ffffffff 1 R2 MOV 1 R3 0 \n"
           << "0010 ffffffff 1 R4 LDG.E.SYS 1 R2 4 1 0x7f2000000000 4 \n"
           << "0020 ffffffff 1 R5 FADD 2 R4 R4 0 \n"
           << "0030 ffffffff 0 EXIT 0 0 \n\n#END_TB\n\n";
    }
    return text.str();
  };
  folder.file("kernel-1.traceg", kernel(1, "_Z5firstPf"));
  folder.file("kernel-2.traceg", kernel(2, "_Z6secondPf"));
  return folder.file("kernelslist.g",
                     "MemcpyHtoD,0x00007f2000000000,4096\nkernel-1.traceg\nkernel-2.traceg\n");
}

}  // namespace wg::cli
