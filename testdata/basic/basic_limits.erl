%% Integers at the limit of their size: each operation past it is system_limit.
-module(basic_limits).
-export([main/0]).

main() ->
    L = id(biggest()),
    [{I, outcome(F)} || {I, F} <- [
        {increment, fun() -> L + 1 end}, {decrement, fun() -> -L - 1 end},
        {add, fun() -> L + id(1) end}, {sub, fun() -> -L - id(1) end},
        {double, fun() -> 2 * L end}, {'bnot', fun() -> bnot L end}, {shift, fun() -> L bsl 2 end},
        {far, fun() -> id(1) bsl (1 bsl 45) end}, {farther, fun() -> id(1) bsl (1 bsl 69) end},
        {back, fun() -> id(1) bsr -(1 bsl 69) end}, {zero, fun() -> id(0) bsl (1 bsl 128) end},
        {atom, fun() -> id(a) + 1 end}, {atom_sub, fun() -> id(a) - 1 end}]].

%% Of a system with words of eight bytes.
biggest() -> (((1 bsl (16777184 * 2 - 1)) - 1) bsl 1) + 1.

outcome(F) ->
    try F() of 0 -> zero; _ -> value
    catch C:R:S -> {C, R, where(hd(S))}
    end.

where({M, F, A, _}) when is_list(A) -> {M, F, length(A)};
where({M, _, A, _}) -> {M, A}.

id(X) -> X.
