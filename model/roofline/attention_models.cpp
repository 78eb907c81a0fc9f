#include <algorithm>
#include <iterator>

#include "model/roofline/work_models.h"

namespace lacuna {
namespace {

enum class Layout : std::uint8_t {
  kHeadsFirst,  ///< [batch, heads, length, width], torch's own
  kHeadsLast,   ///< [batch, length, heads, width], flash-attn's
};
/// Which keys a query sees.
enum class Mask : std::uint8_t {
  kAll,
  kTopLeft,      ///< number i those up to i: torch's is_causal
  kBottomRight,  ///< the last one all: flash-attn's, since 2.1
};

struct Sizes {
  double batch, heads, key_heads, queries, keys, width, value_width;
};

std::optional<Sizes> sizes_of(const TensorInputs& in, std::size_t q, Layout layout) {
  const Shape &query = in.shape(q), &key = in.shape(q + 1), &value = in.shape(q + 2);
  if (query.size() != 4 || key.size() != 4 || value.size() != 4) return {};
  const std::size_t heads = layout == Layout::kHeadsFirst ? 1 : 2, length = 3 - heads;
  if (query[0] != key[0] || key[0] != value[0] || query[3] != key[3] || key[length] != value[length] ||
      key[heads] != value[heads] || key[heads] == 0)
    return {};
  return Sizes{query[0], query[heads], key[heads], query[length], key[length], query[3], value[3]};
}

/// Pairs of a query and a key that it sees. A square one is half, as everybody counts it.
double pairs(double queries, double keys, Mask mask) {
  if (mask == Mask::kAll) return queries * keys;
  const double square = std::min(queries, keys);
  const double seen = square * square / 2;
  if (queries > keys) return mask == Mask::kTopLeft ? seen + (queries - keys) * keys : seen;
  return mask == Mask::kTopLeft ? seen : seen + queries * (keys - queries);
}

Work forward_work(const Sizes& of, double pairs, double element_bytes) {
  return {
      2 * of.batch * of.heads * pairs * (of.width + of.value_width),
      of.batch *
          (of.queries * of.heads * (of.width + of.value_width) + of.keys * of.key_heads * (of.width + of.value_width)) *
          element_bytes};
}

/// Scores once more, and the gradients of values, scores, queries and keys; heads that share keys add theirs up.
Work backward_work(const Sizes& of, double pairs, double element_bytes, double share_of_pairs) {
  const double shared = of.batch * of.keys * (of.width + of.value_width) * (of.heads / of.key_heads - 1);
  return {2 * of.batch * of.heads * pairs * (3 * of.width + 2 * of.value_width) + shared * share_of_pairs,
          of.batch *
              (of.queries * of.heads * (2 * of.width + of.value_width) +
               2 * of.keys * of.key_heads * (of.width + of.value_width)) *
              element_bytes};
}

ModelResult attention(const TensorInputs& in, std::size_t q, Layout layout, Mask mask, bool is_backward) {
  const auto of = sizes_of(in, q, layout);
  const auto bytes = in.element_bytes(q);
  if (!of || !bytes) return {};
  const double seen = pairs(of->queries, of->keys, mask);
  if (!is_backward) return Modelled{forward_work(*of, seen, *bytes)};
  const double all = of->queries * of->keys;
  return Modelled{backward_work(*of, seen, *bytes, all == 0 ? 0 : seen / all)};
}

/// None where the args do not say whether it is causal.
std::optional<Mask> mask_of(const TensorInputs& in, std::size_t causal, Mask if_causal) {
  if (in.concrete(causal).empty() && causal < in.size()) return Mask::kAll;
  const std::optional<bool> is_causal = in.flag(causal);
  return is_causal ? std::optional(*is_causal ? if_causal : Mask::kAll) : std::nullopt;
}

template <std::size_t kQuery, std::size_t kCausal, Layout kLayout, bool kIsBackward>
ModelResult attention_at(const TensorInputs& in) {
  const auto mask = mask_of(in, kCausal, kLayout == Layout::kHeadsFirst ? Mask::kTopLeft : Mask::kBottomRight);
  return mask ? attention(in, kQuery, kLayout, *mask, kIsBackward) : std::nullopt;
}
template <std::size_t kCausal>
constexpr auto kOfTorch = attention_at<0, kCausal, Layout::kHeadsFirst, false>;
template <std::size_t kCausal>
constexpr auto kGradientOfTorch = attention_at<1, kCausal, Layout::kHeadsFirst, true>;
template <std::size_t kCausal>
constexpr auto kOfFlash = attention_at<0, kCausal, Layout::kHeadsLast, false>;
template <std::size_t kCausal>
constexpr auto kGradientOfFlash = attention_at<1, kCausal, Layout::kHeadsLast, true>;

constexpr std::string_view kUnknownLengths =
    "The lengths of the sequences are not in the file: this takes one of the longest, and the rest as equally long.";

/// Sequences behind each other, [tokens, heads, width]; their bounds lie on the GPU, so that only their count and the
/// longest are known. One sequence, or all of one length: exact.
ModelResult packed(const TensorInputs& in, std::size_t bounds, std::size_t longest, std::size_t causal) {
  const Shape &query = in.shape(0), &key = in.shape(1), &value = in.shape(2);
  const auto bytes = in.element_bytes(0);
  const auto mask = mask_of(in, causal, Mask::kBottomRight);
  const auto most_queries = in.number(longest), most_keys = in.number(longest + 1);
  if (query.size() != 3 || key.size() != 3 || value.size() != 3 || key[1] == 0 || !bytes || !mask || !most_queries ||
      !most_keys || in.shape(bounds).size() != 1)
    return {};
  const double sequences = in.elements(bounds) - 1;
  if (sequences < 1 || *most_queries > query[0] || *most_keys > key[0]) return {};
  const Sizes of{1, query[1], key[1], query[0], key[0], query[2], value[2]};
  double seen = pairs(*most_queries, *most_keys, *mask);
  if (sequences > 1)
    seen += (sequences - 1) *
            pairs((query[0] - *most_queries) / (sequences - 1), (key[0] - *most_keys) / (sequences - 1), *mask);
  const bool is_exact = *most_queries * sequences == query[0] && *most_keys * sequences == key[0];
  return Modelled{forward_work(of, seen, *bytes), {}, is_exact ? std::string_view{} : kUnknownLengths};
}

/// aten::_flash_attention_forward(query, key, value, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p, is_causal, …)
ModelResult flash(const TensorInputs& in) {
  return in.is_tensor(3) ? packed(in, 3, 5, 8) : kOfFlash<8>(in);
}
/// flash_attn::_flash_attn_varlen_forward(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, dropout_p,
/// softmax_scale, causal, …)
ModelResult flash_packed(const TensorInputs& in) {
  return packed(in, 3, 5, 9);
}
/// aten::_efficient_attention_forward(query, key, value, bias, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k,
/// dropout_p, custom_mask_type, …); the type: 0 all, 1 causal from the top left, 2 from the bottom right.
ModelResult efficient(const TensorInputs& in) {
  const std::optional<double> type = in.number(9);
  if (!type || *type < 0 || *type > 2 || in.is_tensor(4)) return {};
  constexpr Mask kMasks[] = {Mask::kAll, Mask::kTopLeft, Mask::kBottomRight};
  return attention(in, 0, Layout::kHeadsLast, kMasks[static_cast<int>(*type)], false);
}

/// Attention over pages of keys and values, by what the step says of its requests: prompts attend to all before them
/// and, causally, to themselves; generated tokens to all before them. [tokens, heads, width]; of caches the last two
/// sizes.
ModelResult paged(const TensorInputs& in, std::size_t q, std::size_t k, std::size_t v, std::size_t cache_type) {
  const Shape &query = in.shape(q), &key = in.shape(k), &value = in.shape(v);
  const auto bytes = in.element_bytes(q), cache_bytes = in.element_bytes(cache_type);
  if (in.requests == nullptr || query.size() != 3 || key.size() < 3 || value.empty() || !bytes || !cache_bytes)
    return {};
  const auto& [context, generation] = *in.requests;
  const double heads = query[1], key_heads = key[key.size() - 2], widths = query[2] + value.back();
  const double fresh = context.q + generation.q, cached = context.k - context.q + generation.k - generation.q;
  if (fresh <= 0 || cached < 0) return {};
  return Modelled{{heads * widths * (2 * context.qk - context.qq + 2 * generation.qk),
                   fresh * (heads + key_heads) * widths * *bytes + cached * key_heads * widths * *cache_bytes}};
}
ModelResult batch_prefill(const TensorInputs& in) {
  return paged(in, 0, 1, 2, 1);
}
/// (out, workspace, query, key_cache, value_cache, …)
ModelResult paged_ragged(const TensorInputs& in) {
  return paged(in, 2, 3, 4, 2);
}
/// vLLM: (query, key, value, output, …)
ModelResult unified(const TensorInputs& in) {
  return paged(in, 0, 1, 1, 1);
}

constexpr WorkModel model(std::string_view name, ModelResult (*work)(const TensorInputs&)) {
  return {name, KernelClass::kAttention, work, true};
}

constexpr WorkModel kAttentions[] = {
    model("aten::scaled_dot_product_attention", kOfTorch<5>),
    model("aten::_scaled_dot_product_flash_attention", kOfTorch<4>),
    model("aten::_scaled_dot_product_flash_attention_for_cpu", kOfTorch<4>),
    model("aten::_scaled_dot_product_efficient_attention", kOfTorch<6>),
    model("aten::_scaled_dot_product_cudnn_attention", kOfTorch<6>),
    model("aten::_scaled_dot_product_flash_attention_backward", kGradientOfTorch<11>),
    model("aten::_scaled_dot_product_efficient_attention_backward", kGradientOfTorch<11>),
    model("aten::_scaled_dot_product_cudnn_attention_backward", kGradientOfTorch<14>),
    model("aten::_flash_attention_forward", flash),
    model("aten::_efficient_attention_forward", efficient),
    model("FlashAttnFunc", kOfFlash<5>),
    model("flash_attn::_flash_attn_forward", kOfFlash<5>),
    model("flash_attn::_flash_attn_backward", kGradientOfFlash<11>),
    model("flash_attn::_flash_attn_varlen_forward", flash_packed),
    model("aiter::_flash_attn_forward", kOfFlash<5>),
    model("aiter::mha_fwd", kOfFlash<5>),
    model("aiter::mha_batch_prefill", batch_prefill),
    model("aiter::mha_varlen_fwd", batch_prefill),
    model("aiter::fmha_v3_varlen_fwd", batch_prefill),
    model("sglang_profiler::attention_paged_attention_ragged", paged_ragged),
    model("vllm::unified_attention_with_output", unified),
};

}  // namespace

bool goes_by_requests(std::string_view name) {
  const WorkModel* found = attention_model(name);
  if (found == nullptr) return false;
  return found->work == batch_prefill || found->work == paged_ragged || found->work == unified;
}

const WorkModel* attention_model(std::string_view name) {
  const auto found = std::ranges::find(kAttentions, unnumbered_operator(name), &WorkModel::name);
  return found == std::end(kAttentions) ? nullptr : found;
}

}  // namespace lacuna
