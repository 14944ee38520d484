%% Files, directories, raw and through the file server.
-module(boot_files).
-export([main/0]).

main() ->
    Dir = filename:join(dir(), "beamrd_boot_" ++ os:getpid()),
    ok = file:make_dir(Dir),
    try {rw(Dir), lines(Dir), raw(Dir), dirs(Dir), errors(Dir), consult(Dir), enc(Dir), delayed(Dir), wild(Dir)}
    after file:del_dir_r(Dir) end.

dir() -> case os:getenv("TMPDIR") of false -> "/tmp"; D -> D end.

rw(D) ->
    F = filename:join(D, "a"), B = crypto(50000),
    ok = file:write_file(F, B), {ok, B2} = file:read_file(F), {ok, I} = file:read_file_info(F),
    ok = file:write_file(F, [<<"x">>, $y, "z"], [append]),
    {B =:= B2, element(2, I), filelib:file_size(F), file:rename(F, F ++ "2"), file:read_file(F), filelib:is_regular(F ++ "2"), element(1, file:copy(F ++ "2", F)), file:delete(F)}.

crypto(N) -> << <<(erlang:phash2(I)):8>> || I <- lists:seq(1, N) >>.

lines(D) ->
    F = filename:join(D, "l"), ok = file:write_file(F, [[integer_to_list(I), $\n] || I <- lists:seq(1, 300)]),
    {ok, H} = file:open(F, [read]), R = sum(H, 0), ok = file:close(H),
    {ok, H2} = file:open(F, [read, binary, raw, read_ahead]), {ok, L1} = file:read_line(H2), {ok, L2} = file:read_line(H2), file:close(H2),
    {R, L1, L2}.
sum(H, N) -> case io:get_line(H, "") of eof -> N; L -> sum(H, N + list_to_integer(string:trim(L))) end.

raw(D) ->
    F = filename:join(D, "r"), {ok, H} = file:open(F, [read, write, raw, binary]),
    ok = file:pwrite(H, [{0, <<"hello">>}, {100, <<"world">>}]),
    R = {file:pread(H, 98, 5), file:position(H, eof), file:position(H, {bof, 2}), file:read(H, 3), file:truncate(H), file:position(H, {cur, -1}), file:read(H, 10), file:sync(H), file:read(H, 1)},
    {R, file:close(H), file:close(H), filelib:file_size(F)}.

dirs(D) ->
    S = filename:join(D, "sub"), ok = file:make_dir(S), [ok = file:write_file(filename:join(S, N), N) || N <- ["b", "a", "c"]],
    {ok, L} = file:list_dir(S), ok = file:make_symlink("a", filename:join(S, "lnk")),
    {lists:sort(L), file:read_link(filename:join(S, "lnk")), file:make_dir(S), file:del_dir(S), filelib:is_dir(S), filelib:ensure_dir(filename:join([S, "x", "y", "z"]))}.

errors(D) -> [file:open(filename:join(D, "none"), [read]), file:open(D, [write]), file:read_file(D), file:delete(filename:join(D, "none")), file:open("a\0b", [read]),
    file:open(filename:join(D, "x"), [bad]), file:list_dir(filename:join(D, "none")), file:read_file([])].

consult(D) ->
    F = filename:join(D, "c"), ok = file:write_file(F, "{a, [1,2]}. \"str\".\n#{k => <<1>>}. % end\n"), R = file:consult(F),
    ok = file:write_file(F, "{a, }."), {R, file:consult(F), file:script(F)}.

enc(D) ->
    F = filename:join(D, "åäö"), ok = file:write_file(F, <<"x">>), {ok, H} = file:open(F, [write, {encoding, utf8}]),
    io:format(H, "~ts", ["кот"]), file:close(H), {file:read_file(F), filename:basename(F)}.

delayed(D) ->
    F = filename:join(D, "d"), {ok, H} = file:open(F, [write, raw, {delayed_write, 1000, 5}]), [ok = file:write(H, <<I:32>>) || I <- lists:seq(1, 1000)], ok = file:close(H),
    {ok, B} = file:read_file(F), {ok, G} = file:open(F ++ ".gz", [write, compressed]), ok = file:write(G, B), file:close(G),
    {ok, G2} = file:open(F ++ ".gz", [read, compressed, binary]), {ok, B2} = file:read(G2, 10000), file:close(G2), {byte_size(B), B =:= B2, erlang:md5(B)}.

wild(D) -> [filename:basename(F) || F <- filelib:wildcard(filename:join(D, "{l,r}"))].
