-module(binary_re).
-export([main/0]).

main() ->
    [runs(), captures(), options(), newlines(), unicode(), names(), globals(), errors(), compiled(), latin1(), limits(), tools()].

t(F) ->
    try F()
    catch C:R:S -> {C, R, [{M, N, A, [I || {K, _} = I <- L, K =:= error_info]} || {M, N, A, L} <- [hd(S)]]}
    end.

runs() ->
    [t(fun() -> re:run(S, P) end)
     || {S, P} <- [{"abc", "b"}, {"abc", "x"}, {"", ""}, {"abc", ""}, {<<"abcabc">>, "(b)(c)(x)?"}, {"aaa", "a*?"}, {"foobar", "(?<=foo)bar"}, {"xay", "(a)|(b)"},
                   {"xby", "(a)|(b)"}, {"2024-01-30", "(\\d+)-(\\d+)-(\\d+)"}, {["a", <<"b">>, [$c]], "bc"}, {"abc", [$a, <<"b">>]}, {"abc", <<"B">>}, {"a.b", "a\\.b"},
                   {"the end", "\\bend\\b"}, {"aXbX", "X$"}, {"(a(b)c)", "\\((?:[^()]++|(?R))*\\)"}, {"abab", "(ab)\\1"}, {"zz", "z{3}"}, {"tab\there", "\\s"},
                   {a, "b"}, {"abc", a}, {<<1:3>>, "b"}, {"abc", <<1:3>>}, {[256], "b"}, {"abc", {re_pattern, 0, 0, 0, <<"junk">>}}, {"abc", {a, b}}]].

captures() ->
    S = <<"xxabcdxx">>,
    P = "(a)(b)?(z)?(?<n>c)(?<m>d)",
    [t(fun() -> re:run(Su, P, [{capture, V, T}]) end)
     || Su <- [S, "xxabcdxx"], V <- [all, none, [], all_but_first, first, all_names, [0], [1, 2, 3, 4, 5, 6, 77], [n, m, "n", <<"m">>, nosuch, 0], [1 | 2], [-1], [1.0], foo], T <- [index, list, binary, foo]]
        ++ [t(fun() -> re:run("xyz", "(a)?(b)?y", [{capture, V, T}]) end) || V <- [all, [1, 2]], T <- [index, list, binary]]
        ++ [t(fun() -> re:run("abc", "b", [{capture, V}]) end) || V <- [all, none, first, [0, 1]]].

options() ->
    [t(fun() -> re:run(S, P, O) end)
     || {S, P, O} <- [{"ABC", "b", [caseless]}, {"a\nb", "^b", [multiline]}, {"a\nb", "a.b", [dotall]}, {"a\nb", "a.b", []}, {"ab", "a b # c", [extended]}, {"xab", "ab", [anchored]}, {"ab", "ab", [anchored]},
                      {"a\n", "a$", [dollar_endonly]}, {"a\n", "a$", []}, {"aaa", "a+", [ungreedy]}, {"abc", "(b)", [no_auto_capture]}, {"abcabc", "b", [{offset, 2}]}, {"abc", "b", [{offset, 3}]},
                      {"", "a?", [notempty]}, {"aab", "a?", [notempty_atstart, {offset, 2}]}, {"abc", "^a", [notbol]}, {"abc", "c$", [noteol]}, {"x\nab", "ab", [firstline]}, {"abc", "c", [{offset, a}]},
                      {"abc", "c", [{offset, -1}]}, {"abc", "c", [foo]}, {"abc", "c", foo}, {"abc", "c", [{newline, foo}]}, {"abc", "c", [dupnames, no_start_optimize, ucp]}, {"abc", "(", [report_errors]}, {"abc", "(", []},
                      {"abc", "a", [{match_limit, 10}, {match_limit_recursion, 10}]}]].

newlines() ->
    [t(fun() -> re:run(S, P, [{newline, N}, multiline]) end) || N <- [cr, lf, crlf, any, anycrlf], P <- ["^b", "a$", "a.b"], S <- ["a\nb", "a\rb", "a\r\nb", [$a, 16#85, $b]]]
        ++ [t(fun() -> re:run(S, "a\\Rb", [B]) end) || B <- [bsr_anycrlf, bsr_unicode], S <- ["a\nb", "a\r\nb", "a\vb", [$a, 16#85, $b]]]
        ++ [t(fun() -> re:run("a\rb", "(*CR)a.b", []) end), t(fun() -> re:run("a\nb", "(*CR)a.b", []) end)].

unicode() ->
    S = "aåλ😀b",
    B = unicode:characters_to_binary(S),
    [t(fun() -> re:run(X, P, [unicode | O]) end)
     || X <- [S, B, [B]], P <- ["λ", "å.", ".", "(\\w)b", "[α-ω]", <<"λ"/utf8>>, "\\p{Greek}", "\\x{3bb}", "Λ"], O <- [[], [caseless], [{capture, all, binary}], [{capture, all, list}], [ucp]]]
        ++ [t(fun() -> re:run(X, P, [unicode]) end) || X <- [<<255>>, <<"a", 195>>, [16#D800], [-1]], P <- [<<"b">>, "b"]]
        ++ [t(fun() -> re:run("abc", [16#D800], [unicode]) end), t(fun() -> element(1, re:compile(<<255>>, [unicode])) end), t(fun() -> re:run(<<"é"/utf8>>, "^..$") end)].

names() ->
    {ok, P1} = re:compile("(?<b>x)(?<a>y)"),
    {ok, P2} = re:compile("(?<x>a)|(?<x>b)|(?<y>c)", [dupnames]),
    {ok, P3} = re:compile("abc"),
    [re:inspect(P1, namelist), re:inspect(P2, namelist), re:inspect(P3, namelist), t(fun() -> re:inspect(a, namelist) end), t(fun() -> element(2, t(fun() -> re:inspect(P1, foo) end)) end)]
        ++ [re:run(S, P2, [{capture, V, list}]) || S <- ["a", "b", "c"], V <- [all_names, [x, y], ["y", "x", "z"], all]].

globals() ->
    [t(fun() -> re:run(S, P, [global | O]) end)
     || {S, P} <- [{"abcabc", "b"}, {"abc", ""}, {"aaa", "a*"}, {"a,b,,c", "[^,]*"}, {"", "x*"}, {"xyz", "q"}], O <- [[], [{capture, all, list}], [{capture, first, binary}], [{capture, none}], [{offset, 1}]]]
        ++ [t(fun() -> re:run("åλåλ", "å|", [global, unicode]) end), t(fun() -> re:run("a\r\nb", "^|$", [global, multiline, {newline, any}]) end)].

errors() ->
    [okerr(t(fun() -> re:compile(P) end))
     || P <- ["(", "a)", "[a", "[z-a]", "a{2,1}", "*a", "(?z)", "\\", "(?<n", "(?<n>a)(?<n>b)", "(?<=a*)b", "[[:foo:]]", "(?P!)", "a\0(", "[a-\\d]", "\\1", "(?&foo)"]]
        ++ [okerr(t(fun() -> re:compile(P, O) end)) || {P, O} <- [{"a", [foo]}, {"a", [global]}, {"a", foo}, {a, []}, {"a", [{newline, cr}, {newline, any}, {newline, lf}]}, {<<1:3>>, []}, {[256], []}, {"(", [unicode]}]].

compiled() ->
    {ok, {T, N, U, C, B} = P} = re:compile("(a)(b)", [caseless]),
    {ok, P2} = re:compile("(a)(b)", [caseless]),
    {ok, P3} = re:compile("λ", [unicode, {newline, crlf}]),
    [T, N, U, C, is_binary(B), P =:= P2, re:run("xAB", P), element(3, P3), element(4, P3), re:run("xλ", P3), re:run("xλ", P3, [{capture, all, binary}]),
     element(2, t(fun() -> re:run("AB", P, [caseless]) end)), re:run("AB", P, [anchored]), element(2, t(fun() -> re:run("AB", setelement(5, P, <<"x">>)) end)),
     element(2, t(fun() -> re:run("AB", setelement(2, P, x)) end))].

latin1() ->
    [re:run([C], P, O) || C <- [16#C5, 16#E5, 16#AA, 16#B5, 16#D7, 16#DF, 16#FF, 16#A0, 16#85], P <- ["\\w", "[[:upper:]]", "[[:lower:]]", "[[:punct:]]", "\\s", [16#E5], "[[:print:]]"], O <- [[], [caseless]]].

limits() ->
    S = lists:duplicate(40, $a),
    [re:run(S, "(a+)*b", [{match_limit, L}, report_errors]) || L <- [5, 100]]
        ++ [re:run(lists:duplicate(22, $a), "(a+)*$b?c"), byte_size(element(2, {1, binary:copy(<<"ab">>, 700000)})),
            re:run(binary:copy(<<"ab">>, 700000), "abb"), re:run([binary:copy(<<"ab">>, 700000), "c"], "bc")].

tools() ->
    [re:replace("abcd", "(b)(c)", "[&\\2\\1]", [{return, list}]), re:replace("banana", "a", "o", [global, {return, binary}]), re:split("a,b;c", "[,;]"), re:split("a1b2c", "(\\d)", [{return, list}]),
     re:split("abc", "", [{return, list}]), re:split("a,b,c", ",", [{parts, 2}, {return, list}]), re:replace(<<"åλ"/utf8>>, "λ", "x", [unicode, {return, list}]), re:split("a,,", ",", [trim, {return, list}]), iolist_to_binary(re:replace("aaa", "a*", "x", [global]))].

%% What a compiled pattern looks like is an implementation matter.
okerr({ok, P}) -> {ok, setelement(5, P, x)};
okerr(X) -> X.
