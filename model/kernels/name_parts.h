#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/kernels/kernel_name.h"

namespace lacuna {

// Helpers that the grammars of kernel names share. Texts are views of the name that is decoded.

/// A name split up: "void a::b<c, d>(e)" -> qualified "a::b", arguments {"c", "d"}. For a mangled name, what its plain
/// parts give ("_ZN5aiter3addIDF16bLi4EE…" -> "aiter::add", arguments empty).
struct NameParts {
  std::string_view whole;
  std::string lower;                        ///< the whole name, in lower case
  std::string qualified;                    ///< with namespaces
  std::string leaf;                         ///< the last part of `qualified`
  std::vector<std::string_view> arguments;  ///< of the template, outermost level
  std::vector<std::string_view> words;      ///< of the leaf, separated by '_'
  bool is_mangled = false;

  bool has(std::string_view part) const { return lower.find(part) != std::string::npos; }
};
NameParts take_apart(std::string_view name);

/// "c10::BFloat16", "__nv_bfloat16", "bf16" -> "bf16"; "float", "f32", "s" of CUDA types -> "fp32". Empty: no type.
std::string type_word(std::string_view text);
/// Returns that of the first argument that is a type other than bool.
std::string first_type(const NameParts& parts);
/// "ampere", "sm80", "sm_90a", "gfx942" -> "Ampere", "Ampere (sm_80)" …; empty: none.
std::string architecture_word(std::string_view text);
/// "16816" -> "16x8x16", "1688" -> "16x8x8", "884" -> "8x8x4". Empty: not an mma shape.
std::string mma_shape(std::string_view digits);
/// "tn" -> "TN: A transposed, B not".
std::string layout_word(std::string_view letters);
/// Whether `text` is a shape like "128x64": numbers separated by 'x', two to four of them.
bool is_shape(std::string_view text, std::size_t dimensions);
bool is_digits(std::string_view text);
/// Returns the number behind `mark` in `text`: ("…_stage4_…", "stage") -> "4". Empty: none.
std::string_view number_after(std::string_view text, std::string_view mark);
/// Returns the shape behind `mark`: ("…tilesize128x64x32_…", "tilesize") -> "128x64x32".
std::string_view shape_after(std::string_view text, std::string_view mark);
std::vector<std::string_view> words_between(std::string_view text, char mark);
/// Returns a template's arguments at its outermost level, for "a<b, c<d, e>>": {"b", "c<d, e>"}.
std::vector<std::string_view> template_arguments(std::string_view text);

/// Appends to a comma-separated list: "a, b".
void append_item(std::string& list, std::string_view item);

/// The result of a grammar, besides facts: the noun of the sentence, "matrix product", and what follows it.
struct Reading {
  KernelName& name;
  std::string noun;  ///< empty: not this grammar's name
  std::string tail;  ///< put behind the noun: " that Inductor fused from gelu and mul"

  std::string& operator[](KernelFact fact) { return name[fact]; }
};

// The grammars, each in its own file. Return true if the name is theirs and was decoded.
bool read_cutlass(const NameParts& parts, Reading& out);
bool read_cublas(const NameParts& parts, Reading& out);
bool read_tensor_rt(const NameParts& parts, Reading& out);
bool read_cudnn(const NameParts& parts, Reading& out);
bool read_amd(const NameParts& parts, Reading& out);
bool read_triton(const NameParts& parts, Reading& out);
bool read_attention(const NameParts& parts, Reading& out);
bool read_aten(const NameParts& parts, Reading& out);
bool read_cub(const NameParts& parts, Reading& out);
bool read_collective(const NameParts& parts, Reading& out);
bool read_onednn(const NameParts& parts, Reading& out);

}  // namespace lacuna
