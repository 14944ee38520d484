%% Patterns compiled on erl, as literals in modules hold them, run on another VM.
-module(re8).
-export([write/1, check/1]).

patterns() -> [
    {"abc",[]}, {"a|b|c",[]}, {"(a)|(b)",[]}, {"a*b+c?d{2,5}e{3}f{2,}",[]}, {"a*?b+?c??d{2,5}?",[]},
    {"a*+b++c?+d{2,5}+x",[]}, {"(a){0,3}b",[]}, {"(a){2,4}b",[]}, {"(a){2,}b",[]}, {"(a)*b",[]}, {"(a)+?b",[]},
    {"(a)??b",[]}, {"((a){2}b){3}",[]}, {"(?:(a)|b)*c",[]}, {"(a|(b)){1,3}?c",[]}, {"(?|(a)|(b))(c)",[]},
    {"(?<n>a)\\k<n>",[]}, {"(a)\\1+",[caseless]}, {"(?J)(?<n>a)|(?<n>b)\\k<n>",[]}, {"(?<n>a)|(?<m>b)",[dupnames]},
    {"[a-z]+[^0-9]*[]x-]",[]}, {"[[:alpha:]_]\\w*\\s\\d+\\D\\S\\W",[]}, {"^abc$",[multiline]}, {"^a.c$",[dotall]},
    {"\\Aabc\\z",[]}, {"\\bfoo\\B.",[]}, {"(?i)abc[d-f]+(?-i)X",[]}, {"aBc",[caseless]},
    {"(?=a)ab(?!c)(?<=b)(?<!x)d",[]}, {"(?>a+)b",[]}, {"(?>(a+))b",[]}, {"(a++)b",[]}, {"(ab)++c",[]},
    {"(ab)*+c",[]}, {"(?:ab){1,2}+c",[]}, {"(a)?(?(1)b|c)",[]}, {"(?(?=a)ab|cd)",[]}, {"(?(?!a)cd|ab)",[]},
    {"(?<q>')?a(?(<q>)')",[]}, {"(\\((?:[^()]++|(?1))*\\))",[]}, {"(?:(?1)|b)(a|x)",[]},
    {"(?(DEFINE)(?<d>\\d+))(?&d)-(?&d)",[]}, {"a\\Kb",[]}, {"\\R\\h\\v\\H\\V\\N",[]}, {"a(*SKIP)(*FAIL)|b",[]},
    {"(*MARK:q)a(*SKIP:q)(*F)|b",[]}, {"a(*ACCEPT)b|c",[]}, {"(a(*ACCEPT)b)c",[]}, {"(a){0}b\\Q*()\\E",[]},
    {"(?x) a b # hi\n c",[]}, {"a.b",[extended,ungreedy]}, {"a+(b+)",[ungreedy]}, {"[é-ü]+ñ",[unicode]},
    {"é*[^é]ß?",[unicode,caseless]}, {"[^a-zé]+",[unicode]}, {"\\p{L}+\\P{Lu}\\p{Greek}*\\p{L&}",[unicode]},
    {"[\\p{N}x]+[^\\p{L}y]",[unicode]}, {"\\w+\\d\\s\\b",[unicode,ucp]},
    {"[[:punct:][:alpha:]]+[[:graph:]][[:^print:]]?",[unicode,ucp]}, {"kK\\x{212a}",[unicode,caseless]},
    {"[^k]+s",[unicode,caseless]}, {"\\X\\C",[unicode]}, {"[\\x{100}-\\x{200}]{2,3}?",[unicode]},
    {"[^\\x{100}-\\x{200}\\x{400}]*",[unicode]}, {"[^\\W\\d_]+",[unicode,ucp]}, {"[\\x80-\\xff]\\xe9",[caseless]},
    {"a$",[dollar_endonly]}, {"a",[anchored]}, {"b",[firstline]}, {"^x$",[{newline,crlf},multiline]},
    {"^x$",[{newline,anycrlf},multiline]}, {"a\\Rb",[bsr_anycrlf]}, {"(*LIMIT_MATCH=1000)a+",[]}, {"(*CRLF)a.$",[]},
    {"(*UTF8)é.",[]}, {"(a)(?:b(c)?)*(d|e)",[no_auto_capture]}, {"\\$([a-z]+)|\\$\\{(.*?)\\}",[]},
    {"(?<head>)\\$[a-z]+(?<tail>)",[]}, {"(((a)|b)*)\\3?",[]}, {"(?:a(b)?){2}c",[]}, {"(a(b)?)+?c{0,2}",[]},
    {"x(?:(?:(a)b?)?)c",[]}, {"(?:|(a))b",[]}, {"()a()",[]}, {"(?1)(a|b(?1)?c)",[]}].

subjects() -> [
    <<>>, <<"abc">>, <<"aab">>, <<"aaab abab ABAB">>, <<"abcd xx'a' 'a">>, <<"aBBccddddeee fff">>,
    <<"ababbaabab abb">>, <<"(a(b)c)((d">>, <<"x\nabc\nay\r\nx\r\nfoo bar">>, <<"12-34 $foo ${b} _x9 !?">>,
    <<"aaaabbbbccccdddd">>, <<"héé ñü ß É"/utf8>>, <<"αβγ ΑΒΓ k K \x{212a} \x{17f}s \x{101}\x{150}\x{400}"/utf8>>,
    <<16#e9,16#c9,"a",16#ff>>, <<"xaccb cd ab">>, <<"cabdbe aad">>, <<"aaeee\n">>, <<"a\r\nb a\nb">>,
    <<"b(a)*()">>, <<"aabb">>].

%% write(File) keeps compiled patterns with what they give here.
write([File]) ->
    Of = fun(P) -> unicode:characters_to_binary(P) end,
    L = [{P, O, M, run(M)} || {P, O} <- patterns(), {ok, M} <- [re:compile(Of(P), O)]],
    true = length(L) =:= length(patterns()),
    ok = file:write_file(File, term_to_binary(L)).

%% check(File) prints what differs here.
check([File]) ->
    {ok, B} = file:read_file(File),
    L = binary_to_term(B),
    [io:format("~p ~p: ~p is ~p~n", [P, O, run(M), R]) || {P, O, M, R} <- L, run(M) =/= R],
    io:format("~p patterns~n", [length(L)]).

run(M) -> {re:inspect(M, namelist), [{reason(fun() -> re:run(S, M) end),
    reason(fun() -> re:run(S, M, [global, {capture, all, index}]) end)} || S <- subjects()]}.

reason(F) -> try F() catch C:R -> {C, R} end.
