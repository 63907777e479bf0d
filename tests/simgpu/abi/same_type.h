// Whether a type that flatout declares by itself passes through a C call as NVIDIA's does: same
// size and kind, at every level of pointers. Structs and opaque handles are paired by name.
#pragma once

#include <type_traits>

// Ours<T>::Theirs is what NVIDIA calls T.
template <typename T>
struct PairedWith {
  using Type = void;
};
#define PAIR(OURS, THEIRS)  \
  template <>               \
  struct PairedWith<OURS> { \
    using Type = THEIRS;    \
  };

template <typename Ours, typename Theirs>
constexpr bool same_type();

template <typename Ours, typename Theirs>
constexpr bool same_number() {
  if (std::is_floating_point_v<Ours> || std::is_floating_point_v<Theirs>) {
    return std::is_same_v<Ours, Theirs>;
  }
  const bool named = std::is_enum_v<Ours> || std::is_enum_v<Theirs>;  // then signs may differ
  return sizeof(Ours) == sizeof(Theirs) &&
         (named || std::is_signed_v<Ours> == std::is_signed_v<Theirs>);
}

template <typename Ours, typename Theirs>
constexpr bool same_type() {
  using A = std::remove_cv_t<Ours>;
  using B = std::remove_cv_t<Theirs>;
  constexpr bool kNumbers = (std::is_arithmetic_v<A> || std::is_enum_v<A>) &&
                            (std::is_arithmetic_v<B> || std::is_enum_v<B>);
  if constexpr (std::is_same_v<A, B> || std::is_same_v<typename PairedWith<A>::Type, B>) {
    return true;
  } else if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B>) {
    return same_type<std::remove_pointer_t<A>, std::remove_pointer_t<B>>();
  } else if constexpr (kNumbers) {
    return same_number<A, B>();
  } else {
    return false;
  }
}

template <typename Ours, typename Theirs>
struct SameCall : std::false_type {};
template <typename Return, typename... Args, typename Theirs, typename... TheirArgs>
  requires(sizeof...(Args) == sizeof...(TheirArgs))
struct SameCall<Return (*)(Args...), Theirs (*)(TheirArgs...)>
    : std::bool_constant<same_type<Return, Theirs>() && (same_type<Args, TheirArgs>() && ...)> {};

// A call that flatout's TABLE has as MEMBER, and NVIDIA's header declares as SYMBOL.
#define CALL(TABLE, MEMBER, SYMBOL)                                                   \
  static_assert(SameCall<decltype(TABLE::MEMBER)::Pointer, decltype(&SYMBOL)>::value, \
                #SYMBOL " is called with other types than NVIDIA's header declares")
#define SIZE(OURS, THEIRS) \
  static_assert(sizeof(OURS) == sizeof(THEIRS), #OURS " is not as long as " #THEIRS)
#define FIELD(OURS, OUR_FIELD, THEIRS, THEIR_FIELD)                                        \
  static_assert(offsetof(OURS, OUR_FIELD) == offsetof(THEIRS, THEIR_FIELD) &&              \
                    same_type<decltype(OURS::OUR_FIELD), decltype(THEIRS::THEIR_FIELD)>(), \
                #OURS "::" #OUR_FIELD " is not " #THEIRS "::" #THEIR_FIELD)
#define TEXT(OURS, OUR_FIELD, THEIRS, THEIR_FIELD)                            \
  static_assert(offsetof(OURS, OUR_FIELD) == offsetof(THEIRS, THEIR_FIELD) && \
                    sizeof(OURS::OUR_FIELD) == sizeof(THEIRS::THEIR_FIELD),   \
                #OURS "::" #OUR_FIELD " is not " #THEIRS "::" #THEIR_FIELD)
#define NUMBER(OURS, THEIRS)                                                    \
  static_assert(static_cast<long long>(OURS) == static_cast<long long>(THEIRS), \
                #OURS " is not " #THEIRS)
