// Turns members of Machine into rows of the field table. Private to this room.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "config/field.hpp"

namespace wg::config::detail {

using Names = std::span<const std::string_view>;

struct Range {
  std::uint64_t min = 0;
  std::uint64_t max = 0;
};

/// Enumerations are written by name; the names stand in the order of the enumerators.
template <class Enum>
struct NamesOf;
template <>
struct NamesOf<Pipe> {
  static constexpr std::array<std::string_view, kPipes> kNames{"fma",    "alu",     "fp16",   "fp64", "xu",
                                                               "tensor", "uniform", "branch", "lsu",  "none"};
};
template <>
struct NamesOf<isa::Generation> {
  static constexpr std::array<std::string_view, 9> kNames{"fermi",  "kepler", "maxwell", "pascal", "volta",
                                                          "turing", "ampere", "ada",     "hopper"};
};

template <class T>
Value to_value(const T& member) {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string>) {
    return member;
  } else if constexpr (std::is_enum_v<T>) {
    return std::string(NamesOf<T>::kNames.at(static_cast<std::size_t>(member)));
  } else if constexpr (std::is_integral_v<T>) {
    return std::uint64_t{member};
  } else {
    return member.count();
  }
}

template <class T>
void from_value(T& member, const Value& value) {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string>) {
    member = std::get<T>(value);
  } else if constexpr (std::is_enum_v<T>) {
    const auto& names = NamesOf<T>::kNames;
    const auto at = std::find(names.begin(), names.end(), std::get<std::string>(value));
    member = static_cast<T>(at - names.begin());
  } else if constexpr (std::is_integral_v<T>) {
    member = static_cast<T>(std::get<std::uint64_t>(value));
  } else {
    member = T(std::get<std::uint64_t>(value));
  }
}

/// A row for the member reached through `Path`: bind<&Machine::l2, &L2Config::ways>("l2.ways", "...").
template <auto... Path>
Field bind(std::string key, std::string doc) {
  const Machine defaults;
  Field field;
  field.key = std::move(key);
  field.doc = std::move(doc);
  field.sample = to_value((defaults.*....*Path));
  field.read = [](const Machine& machine, std::size_t) { return to_value((machine.*....*Path)); };
  field.write = [](Machine& machine, std::size_t, const Value& value) {
    from_value((machine.*....*Path), value);
  };
  return field;
}

/// A row for one member of one instruction class.
template <auto Member>
Field bind_class(isa::InstClass cls, std::string_view name, std::string doc) {
  Field field;
  field.key = "sm.class." + std::string(isa::name_of(cls)) + "." + std::string(name);
  field.doc = std::move(doc);
  field.index = static_cast<std::size_t>(cls);
  field.required = true;
  field.sample = to_value(ClassTiming{}.*Member);
  field.read = [](const Machine& machine, std::size_t index) {
    return to_value(machine.sm.classes[index].*Member);
  };
  field.write = [](Machine& machine, std::size_t index, const Value& value) {
    from_value(machine.sm.classes[index].*Member, value);
  };
  return field;
}

inline Field number(Field field, Range range, std::string unit, Measure measure = Measure::count) {
  field.min = range.min;
  field.max = range.max;
  field.unit = std::move(unit);
  field.measure = measure;
  return field;
}
inline Field size(Field field, Range range) {
  return number(std::move(field), range, "bytes", Measure::bytes);
}
inline Field choice(Field field, Names names) {
  field.choices = names;
  return field;
}
inline Field or_off(Field field) {
  field.may_be_off = true;
  return field;
}
inline Field required(Field field) {
  field.required = true;
  return field;
}

}  // namespace wg::config::detail
