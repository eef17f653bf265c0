// What must hold for every kernel of the catalogue on every SM version that it claims to run on.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.hpp"
#include "kernels/builder_kernel.hpp"
#include "kernels/walk.hpp"

namespace wg::kernels {
namespace {

using testing::small_uri;

/// Calls `check(entry, sm_version, uri)` for everything that should work.
template <class Check>
void for_each_entry(const Check& check) {
  for (const Entry& entry : catalogue()) {
    for (const std::uint32_t sm : testing::kSmVersions) {
      if (sm >= entry.min_sm) {
        const std::string uri = small_uri(entry);
        SCOPED_TRACE(uri + " on sm_" + std::to_string(sm));
        check(entry, sm, uri);
      }
    }
  }
}

/// Decodes the first, some middle and the last CTAs with a decoder that checks the rules of WarpBuilder.
template <class Visit>
void for_some_ctas(const KernelCode& code, std::uint32_t sm, const Visit& visit) {
  const auto decoder = make_verifying_decoder(code, sm);
  const std::uint64_t count = code.header.grid.count();
  trace::CtaTrace cta;
  for (const std::uint64_t number : std::set<std::uint64_t>{0, count / 3, count / 2, count - 1}) {
    trace::CtaBlob blob;
    blob.number = number;
    decoder->decode(blob, cta);
    visit(cta, *decoder);
  }
}

TEST(Catalogue, NamesAreUniqueAndDocumented) {
  std::set<std::string_view> names;
  for (const Entry& entry : catalogue()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_FALSE(entry.summary.empty()) << entry.name;
    std::set<std::string_view> arguments;
    for (const Argument& argument : entry.arguments) {
      EXPECT_TRUE(arguments.insert(argument.name).second) << entry.name << " " << argument.name;
      EXPECT_FALSE(argument.doc.empty()) << entry.name << " " << argument.name;
      Arguments values;
      EXPECT_TRUE(values.set(argument, argument.fallback)) << entry.name << " " << argument.name;
    }
  }
}

TEST(Catalogue, FermiRunsTheBasicKernels) {
  for (const char* name : {"vecadd", "gemm", "reduce", "chase", "bandwidth", "empty"}) {
    EXPECT_GT(testing::count(std::string("kernel:") + name, 20).warp_instructions, 0U) << name;
  }
}

TEST(Catalogue, CodeKeepsItsStaticInstructionsAndKnowsEveryMnemonic) {
  for_each_entry([](const Entry&, std::uint32_t sm, const std::string& uri) {
    for (const KernelCode& code : plan_of(uri, sm).kernels) {
      for_some_ctas(code, sm, [](const trace::CtaTrace& cta, const trace::CtaDecoder& decoder) {
        EXPECT_FALSE(cta.insts.empty());
        for (std::uint32_t i = 0; i < decoder.instructions().size(); ++i) {
          EXPECT_TRUE(decoder.instructions()[i].known) << decoder.mnemonic(i);
        }
      });
    }
  });
}

TEST(Catalogue, RegistersAreWithinTheDeclaredNumber) {
  for_each_entry([](const Entry&, std::uint32_t sm, const std::string& uri) {
    for (const KernelCode& code : plan_of(uri, sm).kernels) {
      std::uint32_t used = 0;
      for_some_ctas(code, sm, [&](const trace::CtaTrace&, const trace::CtaDecoder& decoder) {
        for (const isa::StaticInst& inst : decoder.instructions()) {
          for (const auto& ranges : {inst.writes(), inst.reads()}) {
            for (const isa::RegRange& range : ranges) {
              if (range.first < isa::kRegZero) {
                used = std::max<std::uint32_t>(used, range.first + range.count);
              }
            }
          }
        }
      });
      EXPECT_LE(used, code.header.registers);
      EXPECT_LE(code.header.registers, sm < 35 ? 63U : 255U);
    }
  });
}

TEST(Catalogue, ACtaFitsAnSm) {
  for_each_entry([](const Entry&, std::uint32_t sm, const std::string& uri) {
    for (const KernelCode& code : plan_of(uri, sm).kernels) {
      EXPECT_LE(code.header.threads_per_cta(), 1024U);
      EXPECT_LE(code.header.registers * code.header.threads_per_cta(), sm < 30 ? 32'768U : 65'536U);
      EXPECT_LE(code.header.shared_bytes.count(), 48U * 1024);
    }
  });
}

TEST(Catalogue, WarpsAreCompleteAndEndWithExit) {
  for_each_entry([](const Entry&, std::uint32_t sm, const std::string& uri) {
    for (const KernelCode& code : plan_of(uri, sm).kernels) {
      for_some_ctas(code, sm, [&](const trace::CtaTrace& cta, const trace::CtaDecoder& decoder) {
        ASSERT_EQ(cta.warps.size(), code.header.warps_per_cta());
        std::uint32_t next = 0;
        for (std::uint32_t warp = 0; warp < cta.warps.size(); ++warp) {
          EXPECT_EQ(cta.warps[warp].warp, warp);
          EXPECT_EQ(cta.warps[warp].first, next);
          next += cta.warps[warp].count;
          EXPECT_EQ(decoder.mnemonic(cta.insts[next - 1].inst), "EXIT");
        }
        EXPECT_EQ(next, cta.insts.size());
      });
    }
  });
}

/// Address range that a space allows; empty when the space has no declared one.
bool inside_space(const Plan& plan, const KernelCode& code, const isa::StaticInst& inst,
                  std::uint64_t address) {
  const std::uint64_t end = address + inst.width;
  switch (inst.space) {
    case isa::Space::shared:
      return end <= code.header.shared_bytes.count();
    case isa::Space::constant:
      return end <= 65'536 + 4;
    default:
      return std::ranges::any_of(plan.buffers, [&](const Buffer& buffer) {
        return address >= buffer.address && end <= buffer.end();
      });
  }
}

TEST(Catalogue, AddressesLieInTheDeclaredBuffers) {
  for_each_entry([](const Entry&, std::uint32_t sm, const std::string& uri) {
    const Plan plan = plan_of(uri, sm);
    for (const KernelCode& code : plan.kernels) {
      std::uint64_t outside = 0;
      for_some_ctas(code, sm, [&](const trace::CtaTrace& cta, const trace::CtaDecoder& decoder) {
        for (const trace::DynInst& dynamic : cta.insts) {
          const isa::StaticInst& inst = decoder.instructions()[dynamic.inst];
          ASSERT_EQ(dynamic.address != trace::DynInst::kNoAddress, inst.has_address);
          if (!inst.has_address) {
            continue;
          }
          const trace::AddressForm form = cta.form(dynamic);
          for (std::uint32_t lane = 0; lane < static_cast<std::uint32_t>(std::popcount(dynamic.mask));
               ++lane) {
            outside += inside_space(plan, code, inst, form.at(lane)) ? 0U : 1U;
            EXPECT_EQ(form.at(lane) %
                          std::max<std::uint32_t>(1, inst.cls == isa::InstClass::ldsm ? 16 : inst.width),
                      0U)
                << decoder.mnemonic(dynamic.inst);
          }
        }
      });
      EXPECT_EQ(outside, 0U);
    }
  });
}

TEST(Catalogue, BuffersDoNotOverlapAndCopiesFillThem) {
  for_each_entry([](const Entry&, std::uint32_t sm, const std::string& uri) {
    const Plan plan = plan_of(uri, sm);
    for (std::size_t i = 1; i < plan.buffers.size(); ++i) {
      EXPECT_GE(plan.buffers[i].address, plan.buffers[i - 1].end());
    }
    for (const trace::Copy& copy : plan.inputs) {
      EXPECT_TRUE(std::ranges::any_of(plan.buffers, [&](const Buffer& buffer) {
        return buffer.address == copy.address && buffer.bytes == copy.bytes.count();
      }));
    }
  });
}

TEST(Catalogue, EveryWarpOfACtaMeetsTheSameBarriers) {
  for_each_entry([](const Entry&, std::uint32_t sm, const std::string& uri) {
    for (const KernelCode& code : plan_of(uri, sm).kernels) {
      for_some_ctas(code, sm, [](const trace::CtaTrace& cta, const trace::CtaDecoder& decoder) {
        std::set<std::int64_t> counts;
        for (const trace::WarpTrace& warp : cta.warps) {
          counts.insert(std::count_if(
              cta.insts.begin() + warp.first, cta.insts.begin() + warp.first + warp.count,
              [&](const trace::DynInst& inst) {
                return decoder.instructions()[inst.inst].cls == isa::InstClass::barrier && inst.mask != 0;
              }));
        }
        EXPECT_EQ(counts.size(), 1U);
      });
    }
  });
}

TEST(Catalogue, AKernelThatNeedsALaterGpuSaysSo) {
  try {
    (void)open_builder("kernel:shape-gemm", 61);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("sm_70 or later"), std::string::npos) << error.what();
  }
  EXPECT_THROW((void)open_builder("kernel:gemm?type=f16", 61), Error);
  EXPECT_THROW((void)open_builder("kernel:gemm?type=f16&copy=async", 75), Error);
  EXPECT_THROW((void)open_builder("kernel:chain?op=HMMA", 61), Error);
  EXPECT_THROW((void)open_builder("kernel:reduce?variant=shuffle", 20), Error);
  EXPECT_THROW((void)open_builder("kernel:vecadd", 71'000), Error);
}

}  // namespace
}  // namespace wg::kernels
