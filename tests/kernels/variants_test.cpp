// Arguments other than the defaults: every operation and variant obeys the same rules.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "kernels/builder_kernel.hpp"
#include "kernels/operations.hpp"
#include "kernels/walk.hpp"

namespace wg::kernels {
namespace {

/// Decodes the first and last CTA with checks; returns false when the SM version cannot run it.
bool decodes(const std::string& uri, std::uint32_t sm) {
  SCOPED_TRACE(uri + " on sm_" + std::to_string(sm));
  Plan plan;
  try {
    plan = plan_of(uri, sm);
  } catch (const Error&) {
    return false;
  }
  for (const KernelCode& code : plan.kernels) {
    const auto decoder = make_verifying_decoder(code, sm);
    trace::CtaTrace cta;
    trace::CtaBlob blob;
    decoder->decode(blob, cta);
    blob.number = code.header.grid.count() - 1;
    decoder->decode(blob, cta);
    for (std::uint32_t i = 0; i < decoder->instructions().size(); ++i) {
      EXPECT_TRUE(decoder->instructions()[i].known) << decoder->mnemonic(i);
    }
  }
  return true;
}

TEST(Variants, EveryOperationRunsSomewhereAndIsKnownThere) {
  for (const bool chained : {true, false}) {
    for (const std::string_view name : operation_names(chained)) {
      int runs = 0;
      for (const std::uint32_t sm : testing::kSmVersions) {
        const std::string kernel = chained ? "kernel:chain?op=" : "kernel:throughput?warps=4&op=";
        runs += decodes(kernel + std::string(name) + "&unroll=16&iterations=2", sm) ? 1 : 0;
      }
      EXPECT_GT(runs, 0) << name;
    }
  }
}

TEST(Variants, EveryChoiceOfEveryKernelDecodes) {
  for (const Entry& entry : catalogue()) {
    for (const Argument& argument : entry.arguments) {
      for (const std::string_view value : argument.choices) {
        std::string uri =
            "kernel:" + std::string(entry.name) + "?" + std::string(argument.name) + "=" + std::string(value);
        uri += entry.name == "gemm" ? "&type=f16" : "";
        uri += entry.name == "throughput" ? "&warps=4" : "";
        if (uri.find("type=f32") != std::string::npos) {
          uri = "kernel:gemm?type=f32";
        } else if (uri.find("type=f16&type") != std::string::npos) {
          uri = "kernel:gemm?type=f16";
        }
        int runs = 0;
        for (const std::uint32_t sm : testing::kSmVersions) {
          runs += decodes(uri, sm) ? 1 : 0;
        }
        EXPECT_GT(runs, 0) << uri;
      }
    }
  }
}

/// Number of thread instructions of class `cls` in a whole workload.
std::uint64_t threads_of_class(const std::string& uri, std::uint32_t sm, isa::InstClass cls) {
  std::uint64_t threads = 0;
  for (const auto& kernel : testing::kernels_of(open_builder(uri, sm))) {
    testing::for_each_cta(*kernel, [&](const trace::CtaTrace& cta, const trace::CtaDecoder& decoder) {
      for (const trace::DynInst& inst : cta.insts) {
        if (decoder.instructions()[inst.inst].cls == cls) {
          threads += static_cast<std::uint64_t>(std::popcount(inst.mask));
        }
      }
    });
  }
  return threads;
}

TEST(Variants, FloatGemmDoesOneFfmaPerProduct) {
  for (const std::uint32_t sm : {20U, 61U, 90U}) {
    EXPECT_EQ(threads_of_class("kernel:gemm?m=128&n=192&k=64", sm, isa::InstClass::fp32), 128U * 192 * 64);
  }
}

TEST(Variants, HalfGemmDoesTheProductsOnTensorCores) {
  for (const std::uint32_t sm : {70U, 75U, 80U, 90U}) {
    std::uint64_t products = 0;
    for (const auto& kernel :
         testing::kernels_of(open_builder("kernel:gemm?type=f16&m=128&n=256&k=64", sm))) {
      testing::for_each_cta(*kernel, [&](const trace::CtaTrace& cta, const trace::CtaDecoder& decoder) {
        for (const trace::DynInst& inst : cta.insts) {
          products += decoder.instructions()[inst.inst].tensor_fma;
        }
      });
    }
    EXPECT_EQ(products, 128U * 256 * 64) << sm;
  }
}

}  // namespace
}  // namespace wg::kernels
