// Mnemonics that compute. Lists: NVIDIA, "CUDA Binary Utilities", Instruction Set Reference (Fermi to
// Blackwell), and the real traces.
#include <array>

#include "isa/opcode.hpp"

namespace wg::isa {
namespace {

using enum Generation;
using C = InstClass;
using S = Shape;
constexpr Space kNoSpace = Space::none;
constexpr std::uint8_t kCompare = kWritesPredicate | kCombinesPredicate;

constexpr std::array kFamilies{
    // Single precision.
    Family{fermi, hopper, C::fp32, kNoSpace, S::single, kNoFlags, "FADD FMUL FFMA FADD32I FMUL32I FFMA32I"},
    Family{fermi, hopper, C::fp32_alu, kNoSpace, S::single, kCompare, "FSETP"},
    Family{fermi, hopper, C::fp32_alu, kNoSpace, S::single, kReadsPredicate, "FSEL FMNMX FSET"},
    Family{fermi, hopper, C::fp32_alu, kNoSpace, S::single, kWritesPredicate, "FCHK"},
    Family{fermi, pascal, C::fp32_alu, kNoSpace, S::single, kNoFlags, "FCMP FSWZ"},
    Family{maxwell, hopper, C::fp32_alu, kNoSpace, S::single, kNoFlags, "FSWZADD"},
    // The ALU pipe packs FP32 to narrower floats (Nsight Compute, pipelines) and, where I2FP exists,
    // integers.
    Family{ampere, hopper, C::fp32_alu, kNoSpace, S::single, kNoFlags, "F2FP I2FP"},
    Family{hopper, hopper, C::fp32, kNoSpace, S::pair, kNoFlags, "FADD2 FMUL2 FFMA2"},  // Blackwell
    Family{hopper, hopper, C::fp32_alu, kNoSpace, S::single, kReadsPredicate, "FMNMX3"},
    // Half precision.
    Family{maxwell, hopper, C::fp16, kNoSpace, S::single, kNoFlags, "HADD2 HMUL2 HFMA2"},
    Family{maxwell, hopper, C::fp16, kNoSpace, S::single, kNoFlags, "HADD2_32I HMUL2_32I HFMA2_32I"},
    Family{maxwell, hopper, C::fp16, kNoSpace, S::single, kReadsPredicate, "HSET2"},
    Family{maxwell, hopper, C::fp16, kNoSpace, S::single, kCompare, "HSETP2"},
    Family{ampere, hopper, C::fp16, kNoSpace, S::single, kReadsPredicate, "HMNMX2"},
    Family{hopper, hopper, C::fp16, kNoSpace, S::single, kReadsPredicate, "VHMNMX"},
    // Double precision.
    Family{fermi, hopper, C::fp64, kNoSpace, S::pair, kNoFlags, "DADD DMUL DFMA"},
    Family{fermi, pascal, C::fp64, kNoSpace, S::pair, kReadsPredicate, "DMNMX"},
    Family{fermi, hopper, C::fp64, kNoSpace, S::pair_sources, kCompare, "DSETP"},
    Family{fermi, pascal, C::fp64, kNoSpace, S::pair_sources, kReadsPredicate, "DSET"},
    // Integer.
    Family{fermi, pascal, C::integer, kNoSpace, S::single, kCombinesPredicate,
           "IADD IADD32I ISUB ISAD ISCADD ISCADD32I ISCADDX BFE BFI SHL SHR LOP32I MOV32I IMADSP ICMP"},
    Family{volta, hopper, C::integer, kNoSpace, S::single, kCombinesPredicate,
           "IADD IADD32I ISCADD ISCADD32I SHL SHR LOP32I MOV32I"},
    Family{fermi, hopper, C::integer, kNoSpace, S::single, kNoFlags, "MOV PRMT"},
    Family{fermi, hopper, C::integer, kNoSpace, S::single, kReadsPredicate, "SEL ISET IMNMX"},
    Family{fermi, hopper, C::integer, kNoSpace, S::single, kCompare, "ISETP"},
    Family{fermi, hopper, C::integer, kNoSpace, S::single, kLeadingPredicate | kWritesPredicateAlone, "LOP"},
    Family{kepler, hopper, C::integer, kNoSpace, S::single, kNoFlags, "SHF"},
    Family{maxwell, hopper, C::integer, kNoSpace, S::single, kCombinesPredicate, "IADD3 LEA"},
    Family{maxwell, hopper, C::integer, kNoSpace, S::single, kLeadingPredicate | kWritesPredicateAlone,
           "LOP3"},
    Family{volta, hopper, C::integer, kNoSpace, S::single, kNoFlags, "IABS SGXT BMSK"},
    Family{ampere, hopper, C::integer, kNoSpace, S::single, kNoFlags,
           "GATHER SCATTER GENMETADATA SPMETADATA"},
    Family{hopper, hopper, C::integer, kNoSpace, S::single, kNoFlags, "BITEXTRACT"},
    Family{fermi, hopper, C::integer, kNoSpace, S::single, kNoFlags,
           "VABSDIFF VABSDIFF4 VADD VADD2 VADD4 VMAD VMNMX VMNMX2 VMNMX4 VSET VSET2 VSET4 VSHL VSHR"},
    Family{fermi, hopper, C::integer, kNoSpace, S::single, kWritesPredicate, "VSETP"},
    Family{hopper, hopper, C::integer, kNoSpace, S::single, kCombinesPredicate, "VIADD"},
    Family{hopper, hopper, C::integer, kNoSpace, S::single, kReadsPredicate, "VIADDMNMX VIMNMX VIMNMX3"},
    Family{fermi, hopper, C::imad, kNoSpace, S::product, kCombinesPredicate, "IMAD"},
    Family{fermi, hopper, C::imad, kNoSpace, S::single, kNoFlags, "IMAD32I IMUL IMUL32I"},
    Family{maxwell, pascal, C::imad, kNoSpace, S::single, kCombinesPredicate, "XMAD"},
    Family{pascal, hopper, C::imad, kNoSpace, S::single, kNoFlags, "IDP IDP4A"},
    // XU: transcendental, conversions, bit counts.
    Family{fermi, hopper, C::mufu, kNoSpace, S::single, kNoFlags, "MUFU"},
    Family{fermi, pascal, C::mufu, kNoSpace, S::single, kNoFlags, "RRO"},
    Family{fermi, hopper, C::mufu, kNoSpace, S::single, kNoFlags, "IPA"},
    Family{fermi, hopper, C::conversion, kNoSpace, S::float_to_float, kNoFlags, "F2F"},
    Family{volta, hopper, C::conversion, kNoSpace, S::float_to_float, kNoFlags, "FRND"},
    Family{fermi, hopper, C::conversion, kNoSpace, S::float_to_int, kNoFlags, "F2I"},
    Family{fermi, hopper, C::conversion, kNoSpace, S::int_to_float, kNoFlags, "I2F"},
    Family{fermi, hopper, C::conversion, kNoSpace, S::single, kNoFlags, "I2I"},
    Family{volta, hopper, C::conversion, kNoSpace, S::single, kNoFlags, "I2IP F2IP"},
    Family{fermi, hopper, C::bitcount, kNoSpace, S::single, kNoFlags, "FLO POPC"},
    Family{volta, hopper, C::bitcount, kNoSpace, S::single, kNoFlags, "BREV"},
    // Tensor cores. FP8 by warp (QMMA) is Ada's and Blackwell's; Hopper's is QGMMA.
    Family{volta, hopper, C::tensor, kNoSpace, S::mma, kNoFlags, "HMMA IMMA"},
    Family{turing, hopper, C::tensor, kNoSpace, S::mma, kNoFlags, "BMMA"},
    Family{ada, hopper, C::tensor, kNoSpace, S::mma, kNoFlags, "QMMA"},
    Family{ampere, hopper, C::tensor_fp64, kNoSpace, S::mma, kNoFlags, "DMMA"},
    Family{hopper, hopper, C::wgmma, kNoSpace, S::wgmma, kNoFlags, "HGMMA IGMMA QGMMA BGMMA"},
    Family{turing, hopper, C::ldsm, kNoSpace, S::single, kNoFlags, "MOVM"},
    // Predicates.
    Family{fermi, hopper, C::predicate, kNoSpace, S::single, kWritesPredicate | kReadsPredicate,
           "PSETP CSETP PLOP3"},
    Family{fermi, hopper, C::predicate, kNoSpace, S::single, kReadsPredicate, "PSET CSET P2R"},
    Family{fermi, hopper, C::predicate, kNoSpace, S::single, kWritesPredicate, "R2P"},
    // Across lanes.
    Family{kepler, hopper, C::shuffle, kNoSpace, S::single, kLeadingPredicate, "SHFL"},
    Family{fermi, hopper, C::vote, kNoSpace, S::single, kReadsPredicate | kWritesPredicateAlone,
           "VOTE VOTE_VTG"},
    Family{turing, hopper, C::vote, kNoSpace, S::single, kReadsPredicate, "VOTEU"},
    Family{volta, hopper, C::vote, kNoSpace, S::match, kLeadingPredicate, "MATCH"},
    Family{ampere, hopper, C::vote, kNoSpace, S::single, kNoFlags, "REDUX"},
    Family{hopper, hopper, C::vote, kNoSpace, S::single, kWritesPredicate, "ELECT"},
    Family{hopper, hopper, C::vote, kNoSpace, S::single, kNoFlags, "CREDUX"},  // Blackwell
    // Uniform datapath.
    Family{turing, hopper, C::uniform, kNoSpace, S::product, kNoFlags, "UIMAD"},
    Family{turing, hopper, C::uniform, kNoSpace, S::single, kNoFlags,
           "R2UR S2UR UBMSK UBREV UCLEA UF2FP UFLO UIADD3 UISETP ULEA ULOP ULOP3 ULOP32I UMOV UMOV32I UP2UR "
           "UPLOP3 UPOPC UPRMT UPSETP UR2UP USEL USGXT USHF USHL USHR"},
    Family{turing, hopper, C::uniform, kNoSpace, S::pair_result, kNoFlags, "ULEPC"},
    Family{hopper, hopper, C::uniform, kNoSpace, S::single, kNoFlags,
           "B2UR UGETNEXTWORKID UP2R "
           "UFADD UFMUL UFFMA UFSEL UFSET UFSETP UFMNMX UFRND UF2F UF2I UI2F UI2FP UI2I UI2IP UIABS UIMNMX "
           "UIADD UVIADD UVIMNMX UCVOTE CS2UR"},  // mostly Blackwell
};

}  // namespace

std::span<const Family> arithmetic_families() { return kFamilies; }

}  // namespace wg::isa
