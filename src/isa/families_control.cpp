// Mnemonics that steer: branches, barriers, special registers, no-effects. Sources as in
// families_arithmetic.cpp.
#include <array>

#include "isa/opcode.hpp"

namespace wg::isa {
namespace {

using enum Generation;
using C = InstClass;
using S = Shape;
constexpr Space kNoSpace = Space::none;

constexpr std::array kFamilies{
    // A guard is not in the trace; these nearly always have one, so they read a predicate.
    Family{fermi, hopper, C::branch, kNoSpace, S::single, kReadsPredicate, "BRA JMP"},
    Family{fermi, pascal, C::branch, kNoSpace, S::single, kReadsPredicate, "BRX JMX RET BRK CONT LONGJMP"},
    Family{volta, hopper, C::branch, kNoSpace, S::pair_target, kReadsPredicate, "BRX JMX RET"},
    Family{fermi, pascal, C::branch, kNoSpace, S::single, kNoFlags,
           "CAL JCAL SSY PBK PCNT PRET PLONGJMP RAM SAM IDE RTT"},
    Family{maxwell, pascal, C::branch, kNoSpace, S::single, kReadsPredicate, "SYNC"},
    Family{fermi, hopper, C::branch, kNoSpace, S::single, kReadsPredicate, "KIL KILL BPT"},
    Family{volta, hopper, C::branch, kNoSpace, S::pair_target, kNoFlags, "CALL"},
    Family{volta, hopper, C::branch, kNoSpace, S::single, kReadsPredicate, "BREAK"},
    Family{volta, hopper, C::branch, kNoSpace, S::single, kNoFlags, "BSSY BSYNC WARPSYNC RTT IDE NANOTRAP"},
    Family{turing, hopper, C::branch, kNoSpace, S::single, kReadsPredicate, "BRXU JMXU"},
    Family{fermi, pascal, C::exit, kNoSpace, S::single, kReadsPredicate, "PEXIT"},
    Family{fermi, hopper, C::exit, kNoSpace, S::single, kReadsPredicate, "EXIT"},
    // Barriers and groups.
    Family{fermi, hopper, C::barrier, kNoSpace, S::single, kNoFlags, "BAR"},
    Family{hopper, hopper, C::mbarrier, kNoSpace, S::single, kNoFlags,
           "UCGABAR_ARV UCGABAR_WAIT UCGABAR_GET UCGABAR_SET"},
    Family{fermi, hopper, C::depbar, kNoSpace, S::single, kNoFlags, "DEPBAR"},
    Family{ampere, hopper, C::depbar, kNoSpace, S::single, kNoFlags, "LDGDEPBAR"},
    Family{hopper, hopper, C::depbar, kNoSpace, S::single, kNoFlags, "WARPGROUP"},
    // Special registers and state.
    Family{fermi, hopper, C::special, kNoSpace, S::single, kNoFlags, "S2R R2B"},
    Family{fermi, hopper, C::special, kNoSpace, S::single, kWritesPredicate, "B2R"},
    Family{maxwell, hopper, C::special, kNoSpace, S::clock, kNoFlags, "CS2R"},
    Family{fermi, pascal, C::special, kNoSpace, S::single, kNoFlags, "LEPC"},
    Family{volta, hopper, C::special, kNoSpace, S::pair_result, kNoFlags, "LEPC"},
    Family{volta, hopper, C::special, kNoSpace, S::single, kNoFlags, "BMOV RPCMOV CSMTEST"},
    Family{maxwell, hopper, C::special, kNoSpace, S::single, kNoFlags,
           "GETCRSPTR SETCRSPTR GETLMEMBASE SETLMEMBASE SETCTAID"},
    Family{fermi, hopper, C::special, kNoSpace, S::single, kNoFlags,
           "PIXLD AL2P ALD AST OUT ISBERD ISBEWR STP LDTRAM FOOTPRINT GETFPFLAGS SETFPFLAGS"},
    Family{turing, hopper, C::special, kNoSpace, S::single, kNoFlags,
           "TTUCCTL TTUCLOSE TTUGO TTULD TTUMACROFUSE TTUOPEN TTUST"},
    // No effect on timing beyond their issue slot. ACQBULK, PREEXIT: launch dependences between kernels.
    Family{fermi, hopper, C::nop, kNoSpace, S::single, kNoFlags, "NOP PMTRIG"},
    Family{volta, hopper, C::nop, kNoSpace, S::single, kNoFlags, "NANOSLEEP YIELD"},
    Family{ampere, hopper, C::nop, kNoSpace, S::single, kNoFlags, "ACQSHMINIT"},
    Family{hopper, hopper, C::nop, kNoSpace, S::single, kNoFlags,
           "ACQBULK ENDCOLLECTIVE PREEXIT USETMAXREG USETSHMSZ WARPGROUPSET REPLAY_START REPLAY_END"},
};

}  // namespace

std::span<const Family> control_families() { return kFamilies; }

}  // namespace wg::isa
