%% Calls of decode_packet and what real erl answers: [{Type, Bin, Opts, Outcome}].
-module(packet_cases).
-export([main/1]).

main([_]) ->
    rand:seed(exsss, {4,5,6}),
    Out = [{T, B, O, try {ok, erlang:decode_packet(T, B, O)} catch C:R -> {C, R} end} || {T, B, O} <- cases()],
    io:put_chars(base64:encode(term_to_binary(Out))),
    halt(0).

types() -> [0, raw, 1, 2, 4, asn1, sunrm, cdr, fcgi, line, tpkt, http, httph, http_bin, httph_bin, ssl_tls].
opts() -> [[], [{packet_size, 4}], [{packet_size, 20}], [{line_length, 5}], [{line_length, 12}, {packet_size, 30}]].

cases() ->
    [{T, B, O} || T <- types(), B <- bins(), O <- opts()] ++
    [{T, B, []} || T <- [http, httph, http_bin, httph_bin], B <- lines()] ++
    [{T, binary:part(B, 0, N), []} || T <- [http, httph], B <- lists:sublist(lines(), 14), N <- lists:seq(0, byte_size(B))] ++
    [{T, <<(rand:bytes(rand:uniform(20)))/binary>>, O} || T <- types(), _ <- lists:seq(1, 60), O <- [[], [{packet_size, 100}]]] ++
    [{foo, <<>>, []}, {3, <<>>, []}, {raw, foo, []}, {raw, <<1>>, foo}, {raw, <<1>>, [foo]}, {raw, <<1>>, [{packet_size, a}]},
     {raw, <<1>>, [{packet_size, -1}]}, {raw, <<1>>, [{packet_size, 1 bsl 32}]}, {raw, <<1>>, [{line_delimiter, 1}]},
     {line, <<"a,b">>, [{line_delimiter, $,}]}, {line, <<"a,b">>, [{line_delimiter, 256}]}, {raw, <<1:3>>, []}, {raw, <<1, 2, 1:3>>, []},
     {1, <<2, 1, 2, 3:3>>, []}, {line, <<"ab\ncd", 1:5>>, []}].

bins() ->
    [<<>>, <<0>>, <<1>>, <<3, 1, 2, 3>>, <<0, 0>>, <<0, 3, 1, 2, 3, 4>>, <<0, 0, 0, 5, "hello rest">>, <<16#80, 0, 0, 3, "abcd">>, <<255, 255, 255, 255, 0>>,
     <<127, 255, 255, 255, 1, 2>>, <<"line one\nline two\n">>, <<"no newline at all here">>, <<"ab\n">>, <<"abcde\n">>, <<"abcd\n">>,
     <<16#30, 3, 1, 2, 3, 4>>, <<16#30, 16#81, 2, 1, 2, 3>>, <<16#30, 16#82, 0, 2, 1, 2>>, <<16#30, 16#83, 0, 0, 1, 9>>, <<16#30, 16#84, 0, 0, 0, 1, 9, 8>>,
     <<16#30, 16#85, 0, 0, 0, 0, 1>>, <<16#30, 16#80, 1>>, <<16#3f, 16#81, 1, 2, 7, 7, 7>>, <<16#3f, 16#81, 16#81>>, <<16#1f>>, <<16#1f, 1, 1, 5, 6>>,
     <<"GIOP", 1, 0, 0, 0, 0, 0, 0, 2, 1, 2, 3>>, <<"GIOP", 1, 0, 1, 0, 2, 0, 0, 0, 1, 2, 3>>, <<"GIOX", 1, 0, 1, 0, 2, 0, 0, 0>>, <<"GIOP">>,
     <<1, 0, 0, 0, 0, 2, 1, 0, 1, 2, 3, 4>>, <<2, 0, 0, 0, 0, 2, 1, 0, 1, 2, 3, 4>>, <<3, 0, 0, 6, 1, 2, 3>>, <<3, 0, 0, 2, 1, 2, 3>>, <<4, 0, 0, 6, 1, 2>>,
     <<22, 3, 1, 0, 2, 1, 2, 3>>, <<16#80, 5, 1, 3, 1, 9, 9>>, <<16#80, 2, 1, 3, 1, 9, 9>>, <<16#80, 200, 1, 3, 1, 9, 9>>,
     <<"a line that is rather long, so that it is cut\nrest">>, (binary:copy(<<"x">>, 100)), <<16#80, 100, 1, 3, 1, (binary:copy(<<7>>, 110))/binary>>].

lines() ->
    [<<"GET / HTTP/1.1\r\nHost: x\r\n\r\n">>, <<"POST /a/b?c=d HTTP/1.0\n">>, <<"FOO * HTTP/1.1\r\n">>, <<"OPTIONS * HTTP/1.1\r\n">>,
     <<"GET http://host:8080/p?q HTTP/1.1\r\n">>, <<"GET HTTPS://Host/p HTTP/1.1\r\n">>, <<"GET http://host HTTP/1.1\r\n">>,
     <<"GET http://host:0x/p HTTP/1.1\r\n">>, <<"GET http://host:/p HTTP/1.1\r\n">>, <<"GET foo:bar HTTP/1.1\r\n">>, <<"GET foobar HTTP/1.1\r\n">>,
     <<"GET /x\r\n">>, <<"GET\r\n">>, <<"Content-Length: 12\r\nX: y\r\n">>, <<"GET  /x   HTTP/1.1\r\n">>, <<"GET /x HTTP/1\r\n">>, <<"GET /x HTTP/1.\r\n">>,
     <<"GET /x FOO/1.1\r\n">>, <<"GET /x HTTP/11.22 \r\n">>, <<"(x) / HTTP/1.1\r\n">>, <<" GET / HTTP/1.1\r\n">>, <<"get / HTTP/1.1\r\n">>,
     <<"HTTP/1.1 200 OK\r\n">>, <<"HTTP/1.1 404 Not Found\n">>, <<"HTTP/1.1 200\r\n">>, <<"HTTP/1.1 200 \r\n">>, <<"HTTP/1.1  200   OK  \r\n">>, <<"HTTP/1.1200\r\n">>,
     <<"HTTP/1 200 OK\r\n">>, <<"HTTP/1.1 2x0 OK\r\n">>, <<"HTTP/1.1 OK\r\n">>, <<"HTTP/1.1\r\n">>, <<"HTTP/.1 200 OK\r\n">>, <<"HTTP\r\n">>,
     <<"Host: example.org\r\nX">>, <<"host:example.org\r\nX">>, <<"HOST:   \t example.org\r\nX">>, <<"X-Forwarded-For: a\r\nX">>, <<"x-foo-BAR: a\r\nX">>,
     <<"Content-MD5: a\r\nX">>, <<"ETag: a\r\nX">>, <<"WWW-Authenticate: a\r\nX">>, <<"Folded: a\r\n b\r\n\tc\r\nX">>, <<"Folded: a\r\n b">>, <<"Folded: a\r\n">>,
     <<"NoColon\r\nX">>, <<"Bad Name: x\r\nX">>, <<": x\r\nX">>, <<"Name:\r\nX">>, <<"Name: \r\nX">>, <<"Set-Cookie2: z\nX">>, <<"\r\n">>, <<"\n">>, <<"\r\nX">>, <<"\nX">>, <<"\r">>,
     <<"A:\nX">>, <<"a\n b\nX">>, <<"Very-Long-Header-Name-That-Has-More-Than-Fifty-Characters-In-It: v\r\nX">>,
     <<"Name-Of-Exactly-Fifty-Characters-0123456789-012345: v\r\nX">>, <<"value: caf", 233, "\r\nX">>, <<"caf", 233, ": v\r\nX">>, <<"x", 127, ": v\r\nX">>,
     <<"GET /caf", 233, " HTTP/1.1\r\n">>, <<"Authorization: ", (binary:copy(<<"long">>, 40))/binary, "\r\nX">>, <<"HTTP/1.1 99999999999 OK\r\n">>,
     <<"GET http://h:99999999999/ HTTP/1.1\r\n">>, <<"a\r\n">>, <<"GET / HTTP/1.1\r">>, <<"PUT /\n\n">>].
