%% Compression of many pieces whose output fills a chunk at any place.
-module(boot_zlib).
-export([main/0]).

main() ->
    {[{N, S, pieces(N, S)} || N <- [1, 3, 100], S <- [0, 1, 7, 1000]],
     [{C, chunks(C)} || C <- [1, 2, 100, 4000]]}.

%% Three rounds of N pieces of S bytes that do not compress.
pieces(N, S) ->
    Z = zlib:open(),
    zlib:deflateInit(Z, default, deflated, 31, 8, default),
    Out = [zlib:deflate(Z, [noise(S, I) || I <- lists:seq(1, N)]) || _ <- [1, 2, 3]],
    All = iolist_to_binary([Out, zlib:deflate(Z, [], finish)]),
    zlib:close(Z),
    {erlang:md5(All), erlang:md5(zlib:gunzip(All))}.

noise(S, I) -> iolist_to_binary([<<(erlang:phash2({I, J})):32>> || J <- lists:seq(1, S div 4 + 1)]).

%% Inflating into chunks of C bytes.
chunks(C) ->
    D = zlib:compress([noise(300, I) || I <- lists:seq(1, 20)]),
    Z = zlib:open(),
    zlib:inflateInit(Z),
    R = all(Z, zlib:safeInflate(Z, [binary:part(D, I, min(C, byte_size(D) - I)) || I <- lists:seq(0, byte_size(D) - 1, C)]), []),
    zlib:close(Z),
    erlang:md5(R).

all(_, {finished, L}, Acc) -> [Acc, L];
all(Z, {continue, L}, Acc) -> all(Z, zlib:safeInflate(Z, []), [Acc, L]).
