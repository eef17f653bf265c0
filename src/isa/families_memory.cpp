// Mnemonics that reach memory. Sources as in families_arithmetic.cpp.
#include <array>

#include "isa/opcode.hpp"

namespace wg::isa {
namespace {

using enum Generation;
using C = InstClass;
using S = Shape;

constexpr std::array kFamilies{
    Family{fermi, hopper, C::load, Space::generic, S::load, kNoFlags, "LD"},
    Family{fermi, pascal, C::load, Space::generic, S::load, kNoFlags, "LDU LDLK"},
    Family{kepler, hopper, C::load, Space::global, S::load, kNoFlags, "LDG"},
    Family{fermi, hopper, C::load, Space::local, S::load, kNoFlags, "LDL"},
    Family{fermi, hopper, C::load, Space::shared, S::load, kNoFlags, "LDS"},
    Family{fermi, kepler, C::load, Space::shared, S::load, kWritesPredicate, "LDSLK"},
    Family{hopper, hopper, C::load, Space::global, S::load, kNoFlags, "LDGMC"},
    Family{fermi, hopper, C::store, Space::generic, S::store, kNoFlags, "ST"},
    Family{fermi, pascal, C::store, Space::generic, S::store, kNoFlags, "STUL"},
    Family{kepler, hopper, C::store, Space::global, S::store, kNoFlags, "STG"},
    Family{fermi, hopper, C::store, Space::local, S::store, kNoFlags, "STL"},
    Family{fermi, hopper, C::store, Space::shared, S::store, kNoFlags, "STS"},
    Family{fermi, kepler, C::store, Space::shared, S::store, kNoFlags, "STSUL STSCUL"},
    Family{hopper, hopper, C::store, Space::shared, S::store, kNoFlags, "STAS"},
    Family{fermi, hopper, C::atomic, Space::generic, S::atomic, kLeadingPredicate, "ATOM"},
    Family{volta, hopper, C::atomic, Space::global, S::atomic, kLeadingPredicate, "ATOMG"},
    Family{maxwell, hopper, C::atomic, Space::shared, S::atomic, kWritesPredicateAlone, "ATOMS"},
    Family{fermi, hopper, C::reduction, Space::global, S::reduction, kNoFlags, "RED"},
    Family{hopper, hopper, C::reduction, Space::global, S::reduction, kNoFlags, "REDG"},
    Family{hopper, hopper, C::reduction, Space::shared, S::reduction, kNoFlags, "REDS REDAS"},
    Family{ampere, hopper, C::ldgsts, Space::global, S::async_copy, kNoFlags, "LDGSTS"},
    Family{turing, hopper, C::ldsm, Space::shared, S::matrix_load, kNoFlags, "LDSM"},
    Family{hopper, hopper, C::ldsm, Space::shared, S::matrix_store, kNoFlags, "STSM"},
    Family{fermi, hopper, C::constant, Space::constant, S::constant_load, kNoFlags, "LDC"},
    Family{turing, hopper, C::uniform, Space::constant, S::constant_load, kNoFlags, "ULDC"},
    Family{hopper, hopper, C::uniform, Space::constant, S::constant_load, kNoFlags, "LDCU"},  // Blackwell
    Family{fermi, hopper, C::texture, Space::texture, S::texture, kLeadingPredicate,
           "TEX TLD TLD4 TXD TMML TXQ"},
    Family{maxwell, hopper, C::texture, Space::texture, S::texture, kNoFlags, "TEXS TLDS TLD4S TXA"},
    Family{kepler, pascal, C::depbar, Space::none, S::single, kNoFlags, "TEXDEPBAR"},
    Family{fermi, hopper, C::texture, Space::texture, S::surface_load, kLeadingPredicate, "SULD SUATOM"},
    Family{fermi, hopper, C::texture, Space::texture, S::surface_store, kNoFlags, "SUST SURED"},
    Family{fermi, kepler, C::texture, Space::texture, S::surface_load, kNoFlags, "SULDGA SUQ"},
    Family{fermi, kepler, C::texture, Space::texture, S::surface_store, kNoFlags, "SUSTGA"},
    Family{volta, hopper, C::texture, Space::texture, S::surface_load, kNoFlags, "SUQUERY"},
    Family{fermi, kepler, C::integer, Space::none, S::single, kNoFlags, "SUCLAMP SUBFM SUEAU"},
    Family{hopper, hopper, C::tma, Space::global, S::single, kNoFlags,
           "UTMALDG UTMASTG UTMAREDG UTMAPF UBLKCP UBLKPF UBLKRED"},
    Family{hopper, hopper, C::depbar, Space::none, S::single, kNoFlags, "UTMACMDFLUSH"},
    Family{hopper, hopper, C::membar, Space::none, S::single, kNoFlags, "UTMACCTL"},
    Family{ampere, hopper, C::mbarrier, Space::shared, S::mbarrier, kNoFlags, "ARRIVES"},
    Family{hopper, hopper, C::mbarrier, Space::shared, S::mbarrier, kWritesPredicateAlone, "SYNCS"},
    Family{fermi, hopper, C::membar, Space::none, S::address, kNoFlags, "CCTL CCTLL CCTLT"},
    Family{fermi, hopper, C::membar, Space::none, S::single, kNoFlags, "MEMBAR"},
    Family{volta, hopper, C::membar, Space::none, S::single, kNoFlags, "ERRBAR SUCCTL"},
    Family{hopper, hopper, C::membar, Space::none, S::single, kNoFlags, "FENCE CGAERRBAR"},
    Family{volta, hopper, C::special, Space::none, S::address, kLeadingPredicate | kWritesPredicate, "QSPC"},
};

}  // namespace

std::span<const Family> memory_families() { return kFamilies; }

}  // namespace wg::isa
