%% Regular expressions.
-module(boot_re).
-export([main/0]).

main() -> {basic(), global(), split(), replace(), named(), unicode(), long(), errors(), concurrent()}.

basic() -> [re:run(S, R, O) || {S, R, O} <- [{"abcabc", "b(c)", []}, {"abcabc", "(b)(x)?", [{capture, all, list}]}, {<<"ABC">>, "b", [caseless, {capture, all, binary}]},
    {"aXb\ncXd", "^c.d$", [multiline]}, {"foo", "bar", []}, {"aaa", "a{2}", [{offset, 1}]}, {"abc", "(?<x>b)", [{capture, [x], index}]}, {"aaab", "a*?b", [{capture, first, list}]}]].
global() -> {match, L} = re:run(binary:copy(<<"key=val; ">>, 50), "(\\w+)=(\\w+)", [global, {capture, all, binary}]), {length(L), hd(L)}.
split() -> {re:split("a1b22c333d", "[0-9]+", [{return, list}]), re:split(<<"a,b;c">>, "([,;])"), re:split("abc", "", [trim, {parts, 2}])}.
replace() -> {re:replace("hello world", "o", "[&]", [global, {return, list}]), re:replace(<<"john smith">>, "(\\w+) (\\w+)", "\\2 \\1", [{return, binary}]), iolist_to_binary(re:replace("xx", "x", "y"))}.
named() -> {ok, P} = re:compile("(?<year>\\d{4})-(?<mon>\\d\\d)"), {re:run("on 2024-05-06", P, [{capture, all_names, list}]), re:inspect(P, namelist)}.
unicode() -> [re:run("кот и пёс", "п.с", [unicode, {capture, all, list}]), re:replace("åäö", "ä", "a", [unicode, {return, list}]), re:run("ÅÄ", "å", [unicode, caseless])].
long() -> S = lists:duplicate(20000, $a), {re:run(S, "(a+)+$", [{capture, none}]), re:run(S ++ "b", "a*c", [{capture, none}, {match_limit, 1000}]), re:run(S, "^(a|b)*$", [{capture, none}, {match_limit_recursion, 50}, report_errors])}.
errors() -> [re:compile("(abc"), re:compile("*"), catch element(1, re:run("a", "(")), re:compile("[z-a]")].
concurrent() ->
    Self = self(),
    Ps = [spawn(fun() -> Self ! {self(), re:run(lists:duplicate(I * 20, $x) ++ integer_to_list(I), "x*(\\d+)$", [{capture, [1], list}])} end) || I <- lists:seq(1, 20)],
    [receive {P, R} -> R end || P <- Ps].
