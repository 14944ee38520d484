%% The module socket on loopback.
-module(boot_socket).
-export([main/0]).

main() ->
    [{N, try F() catch C:R -> {C, R} end} || {N, F} <- [
        {tcp, fun tcp/0}, {nowait, fun nowait/0}, {parts, fun parts/0}, {acceptors, fun acceptors/0}, {readers, fun readers/0},
        {cancel, fun cancel/0}, {abort, fun abort/0}, {owner, fun owner/0}, {closed, fun closed/0}, {udp, fun udp/0}, {msg, fun msg/0},
        {local, fun local/0}, {options, fun options/0}, {errors, fun errors/0}, {otp, fun otp/0}, {file, fun file/0}, {fd, fun fd/0},
        {ioctl, fun ioctl/0}, {registry, fun registry/0}, {lost, fun lost/0}, {storm, fun storm/0}, {inet, fun inet_backend/0}]].

lo() -> #{family => inet, addr => loopback, port => 0}.
listener() ->
    {ok, L} = socket:open(inet, stream, tcp), ok = socket:bind(L, lo()), ok = socket:listen(L),
    {ok, A} = socket:sockname(L), {L, A}.
pair() ->
    {L, A} = listener(), {ok, C} = socket:open(inet, stream, tcp), ok = socket:connect(C, A), {ok, S} = socket:accept(L),
    ok = socket:close(L), {C, S}.
select(S) -> receive {'$socket', S, select, R} when is_reference(R) -> selected after 20000 -> nothing end.
counters(S, Ks) -> #{counters := C} = socket:info(S), [maps:get(K, C) || K <- Ks].

tcp() ->
    {C, S} = pair(), ok = socket:send(C, <<"hello">>), {ok, <<"hello">>} = socket:recv(S, 5),
    ok = socket:send(S, [<<"ab">>, $c, "de"]), R = socket:recv(C, 5), {ok, #{addr := P}} = socket:peername(C),
    B = binary:copy(<<"0123456789">>, 300000), Self = self(),
    spawn_link(fun() -> Self ! {sent, socket:send(C, B)} end),
    {ok, D} = socket:recv(S, byte_size(B)), Sent = receive {sent, X} -> X end,
    ok = socket:shutdown(C, write), E = socket:recv(S, 1),
    {R, P, D =:= B, Sent, E, counters(S, [read_byte, read_fails]), socket:close(C), socket:close(S)}.

nowait() ->
    {L, A} = listener(), {select, {select_info, accept, _}} = socket:accept(L, nowait),
    {ok, C} = socket:open(inet, stream, tcp),
    case socket:connect(C, A, nowait) of ok -> ok; {select, _} -> selected = select(C), ok = socket:connect(C) end,
    selected = select(L), {ok, S} = socket:accept(L, nowait),
    {select, {select_info, recv, _}} = socket:recv(S, 0, nowait), #{rstates := RS, num_readers := N} = socket:info(S),
    ok = socket:send(C, <<"x">>), selected = select(S), {ok, <<"x">>} = socket:recv(S, 0, nowait), #{num_readers := N2} = socket:info(S),
    R = socket:recv(S, 0, 0), [ok = socket:close(X) || X <- [L, C, S]], {RS, N, N2, R}.

parts() ->
    {C, S} = pair(), ok = socket:send(C, <<"abc">>), Got = socket:recv(S, 3, [peek]),
    {select, {I, <<"abc">>}} = socket:recv(S, 5, nowait), ok = socket:send(C, <<"de">>), selected = select(S),
    R = socket:recv(S, 2, nowait), ok = socket:setopt(S, {otp, rcvbuf}, {2, 4}), ok = socket:send(C, <<"0123456789">>),
    {ok, _} = socket:recv(S, 10, [peek]), R2 = socket:recv(S), R3 = socket:recv(S), ok = socket:close(C), ok = socket:close(S),
    {Got, element(2, I), R, R2, R3}.

acceptors() ->
    {L, A} = listener(), Self = self(),
    Ps = [spawn_link(fun() -> {ok, S} = socket:accept(L), {ok, D} = socket:recv(S, 1), ok = socket:close(S), Self ! {got, D} end) || _ <- [1, 2, 3]],
    until(fun() -> maps:get(num_acceptors, socket:info(L)) =:= 3 end),
    Ds = [begin {ok, C} = socket:open(inet, stream, tcp), ok = socket:connect(C, A), ok = socket:send(C, <<I>>), C end || I <- "abc"],
    R = lists:sort([receive {got, X} -> X end || _ <- Ps]), [ok = socket:close(C) || C <- Ds],
    ok = socket:close(L), R.
until(F) -> case F() of true -> ok; false -> timer:sleep(1), until(F) end.

readers() ->
    {C, S} = pair(), Self = self(),
    Read = fun(N) -> spawn(fun() -> Self ! {N, socket:recv(S, 1)} end) end,
    Read(a), until(fun() -> maps:get(num_readers, socket:info(S)) =:= 1 end),
    B = Read(b), until(fun() -> maps:get(num_readers, socket:info(S)) =:= 2 end),
    Read(c), until(fun() -> maps:get(num_readers, socket:info(S)) =:= 3 end),
    exit(B, kill), until(fun() -> maps:get(num_readers, socket:info(S)) =:= 2 end),
    ok = socket:send(C, <<"1">>), R1 = receive {a, X} -> X end, ok = socket:send(C, <<"2">>), R2 = receive {c, Y} -> Y end,
    ok = socket:close(C), ok = socket:close(S), {R1, R2}.

cancel() ->
    {C, S} = pair(), {select, I} = socket:recv(S, 0, nowait), R1 = socket:cancel(S, I), R2 = element(1, socket:cancel(S, I)),
    {select, J} = socket:recv(S, 0, nowait), ok = socket:send(C, <<"x">>), selected = select(S), R3 = socket:cancel(S, J),
    R4 = socket:recv(S, 1), R5 = socket:recv(S, 1, 1), R6 = try socket:cancel(S, x) catch error:E -> E end,
    ok = socket:close(C), ok = socket:close(S), {R1, R2, R3, R4, R5, R6, socket:cancel(S, J)}.

abort() ->
    {C, S} = pair(), {select, {select_info, recv, Ref}} = socket:recv(S, 0, nowait), Self = self(),
    P = spawn(fun() -> Self ! {self(), socket:recv(S, 0)} end), until(fun() -> maps:get(num_readers, socket:info(S)) =:= 2 end),
    ok = socket:close(S), A = receive {'$socket', S, abort, {Ref, Why}} -> Why end, B = receive {P, X} -> X end,
    R = (catch socket:recv(S, 0)), ok = socket:close(C), {A, B, R}.

owner() ->
    Self = self(), {L, A} = listener(),
    {O, M} = spawn_monitor(fun() -> {ok, C} = socket:open(inet, stream, tcp), ok = socket:connect(C, A), Self ! {c, C}, receive stop -> ok end end),
    C = receive {c, X} -> X end, {ok, S} = socket:accept(L), R1 = socket:setopt(C, {otp, controlling_process}, Self),
    P = spawn(fun() -> Self ! {self(), socket:recv(C, 0)} end), until(fun() -> maps:get(num_readers, socket:info(C)) =:= 1 end),
    O ! stop, receive {'DOWN', M, _, _, _} -> ok end, R2 = receive {P, Y} -> Y end, R3 = socket:recv(S, 1),
    {Q, QM} = spawn_monitor(fun() -> receive stop -> ok end end), R4 = socket:setopt(S, {otp, controlling_process}, Q),
    {ok, Q} = socket:getopt(S, {otp, controlling_process}), Q ! stop, receive {'DOWN', QM, _, _, _} -> ok end,
    until(fun() -> socket:getopt(S, {otp, fd}) =:= {error, closed} end), ok = socket:close(L), {R1, R2, R3, R4}.

closed() ->
    {C, S} = pair(), ok = socket:close(C), ok = socket:close(S), #{rstates := R, wstates := W, owner := O} = socket:info(S),
    {R, W, O, [F(S) || F <- [fun socket:recv/1, fun socket:close/1, fun socket:accept/1, fun socket:sockname/1, fun socket:listen/1,
        fun(X) -> socket:send(X, <<"a">>) end, fun(X) -> socket:getopt(X, {socket, type}) end, fun(X) -> socket:setopt(X, {otp, debug}, x) end,
        fun(X) -> socket:bind(X, any) end, fun(X) -> socket:shutdown(X, read) end, fun(X) -> socket:sendto(X, <<>>, lo()) end]]}.

udp() ->
    {ok, A} = socket:open(inet, dgram, udp), ok = socket:bind(A, lo()), {ok, NA} = socket:sockname(A),
    {ok, B} = socket:open(inet, dgram, udp), ok = socket:bind(B, lo()), {ok, NB} = socket:sockname(B),
    ok = socket:sendto(A, <<"one">>, NB), {ok, {F, <<"one">>}} = socket:recvfrom(B), ok = socket:sendto(B, <<"longer">>, NA),
    R = socket:recvmsg(A, 3, 0), ok = socket:connect(A, NB), ok = socket:send(A, <<>>), R2 = socket:recv(B, 10),
    {ok, M} = {element(1, R), maps:with([iov, flags, ctrl], element(2, R))}, R3 = socket:recv(B, 0, 0),
    ok = socket:close(A), ok = socket:close(B), {F =:= NA, M, R2, R3}.

msg() ->
    {ok, A} = socket:open(inet, dgram, udp), ok = socket:bind(A, lo()), {ok, NA} = socket:sockname(A),
    [ok = socket:setopt(A, ip, O, true) || O <- [pktinfo, recvttl, recvtos]], ok = socket:setopt(A, socket, timestamp, true),
    ok = socket:sendmsg(A, #{addr => NA, iov => [<<"a">>, <<>>, <<"bc">>], ctrl => [#{level => ip, type => tos, value => mincost}, #{level => ip, type => ttl, data => <<33:32/native>>}]}),
    {ok, #{iov := I, ctrl := C, flags := F, addr := From}} = socket:recvmsg(A), ok = socket:close(A),
    {I, F, From =:= NA, lists:sort([{T, case M of #{value := #{sec := _}} -> time; #{value := V} -> V; _ -> none end} || #{type := T} = M <- C]),
     [socket:sendmsg(X, Y) || {X, Y} <- [{A, #{iov => []}}]], bad(fun(S) -> [socket:sendmsg(S, Y) || Y <- [#{iov => [x]}, #{iov => [<<>>], addr => #{family => inet, port => x}},
        #{iov => [<<"x">>], ctrl => [#{level => ip, type => foo, value => 1}]}, #{iov => [<<"x">>], ctrl => [#{level => socket, type => rights, data => binary:copy(<<0>>, 2000)}]}]] end)}.
bad(F) -> {ok, S} = socket:open(inet, dgram, udp), R = try F(S) catch C:E -> {C, E} end, ok = socket:close(S), R.

local() ->
    #{path := N} = A = abstract(),
    {ok, L} = socket:open(local, stream), ok = socket:bind(L, A), ok = socket:listen(L),
    {ok, C} = socket:open(local, stream), ok = socket:connect(C, A), {ok, S} = socket:accept(L),
    ok = socket:send(C, <<"x">>), {ok, #{path := P}} = socket:peername(C), R = {socket:recvmsg(S), socket:peername(S), P =:= N, socket:getopt(S, {socket, protocol})},
    [ok = socket:close(X) || X <- [C, S, L]], {R, element(1, socket:open(local, stream, 77))}.

options() ->
    {ok, S} = socket:open(inet, stream, tcp), {ok, D} = socket:open(inet, dgram, udp), {ok, S6} = socket:open(inet6, stream, tcp),
    Set = [{O, V, socket:setopt(X, O, V), socket:getopt(X, O)} || {X, O, V} <- [
        {S, {socket, reuseaddr}, true}, {S, {socket, keepalive}, true}, {S, {socket, linger}, #{onoff => true, linger => 3}}, {S, {socket, linger}, abort},
        {S, {tcp, nodelay}, true}, {S, {tcp, congestion}, "cubic"}, {S, {socket, priority}, 3}, {S, {ip, tos}, throughput}, {S, {ip, tos}, 16}, {S, {ip, ttl}, 7},
        {D, {ip, mtu_discover}, 'do'}, {D, {ip, multicast_if}, {127, 0, 0, 1}}, {D, {ip, multicast_ttl}, 3}, {D, {socket, broadcast}, true}, {D, {udp, cork}, false},
        {S6, {ipv6, v6only}, true}, {S6, {ipv6, unicast_hops}, default}, {S6, {ipv6, mtu_discover}, probe}, {S6, {ipv6, tclass}, 5},
        {S, {socket, foo}, 1}, {S, {socket, error}, 1}, {S, {socket, linger}, x}, {S, {tcp, nodelay}, 1}, {S, {socket, type}, stream}, {S, {socket, rcvlowat}, x},
        {D, {ip, add_membership}, #{multiaddr => {224, 0, 0, 251}, interface => {127, 0, 0, 1}}}, {D, {ip, msfilter}, x}, {S, {ip, recverr}, true}, {S, {socket, bindtodevice}, 5}]],
    Get = [{O, socket:getopt(X, O)} || {X, O} <- [{S, {socket, domain}}, {S, {socket, type}}, {S, {socket, protocol}}, {S6, {socket, domain}}, {D, {socket, acceptconn}}, {S, {ip, mtu}}, {D, {ip, pktoptions}}]],
    Nat = [socket:setopt_native(S, {socket, keepalive}, false), socket:getopt_native(S, {socket, keepalive}, integer), socket:getopt_native(S, {socket, 9}, boolean),
        socket:setopt_native(S, {6, 1}, <<1:32/native>>), socket:getopt_native(S, {tcp, 1}, 4), socket:getopt_native(S, {tcp, nodelay}, <<0:32>>), socket:setopt_native(S, {tcp, 1}, x)],
    [ok = socket:close(X) || X <- [S, D, S6]], {Set, Get, Nat}.

errors() ->
    {ok, S} = socket:open(inet, stream, tcp),
    R = [try F() catch C:E -> {C, E} end || F <- [fun() -> socket:open(foo, stream) end, fun() -> socket:open(inet, foo) end, fun() -> socket:open(inet, stream, foo) end,
        fun() -> socket:open(inet, stream, 1 bsl 40) end, fun() -> socket:bind(S, #{family => inet, addr => x}) end, fun() -> socket:connect(S, #{family => inet, port => 1, addr => {300, 1, 1, 1}}) end,
        fun() -> socket:listen(S, 1 bsl 40) end, fun() -> socket:connect(S) end, fun() -> socket:recv(S, 1 bsl 80) end, fun() -> socket:recv(S, 0, [foo]) end, fun() -> socket:recv(S) end,
        fun() -> socket:send(S, <<"x">>) end, fun() -> socket:accept(S) end, fun() -> socket:shutdown(S, foo) end, fun() -> socket:peername(S) end,
        fun() -> socket:bind(S, #{family => inet, addr => {1, 2, 3, 4}, port => 1}) end, fun() -> prim_socket:finalize_close(element(2, S)) end,
        fun() -> prim_socket:recv(make_ref(), 0, [], make_ref()) end, fun() -> prim_socket:send(element(2, S), x, [], make_ref()) end, fun() -> socket:sockname(S) end]],
    ok = socket:close(S), R.

otp() ->
    {ok, S} = socket:open(inet, stream, tcp),
    R = [{O, V, socket:setopt(S, {otp, O}, V), socket:getopt(S, {otp, O})} || {O, V} <- [{debug, false}, {debug, x}, {iow, true}, {rcvbuf, 77}, {rcvbuf, {3, 77}}, {rcvbuf, {0, 77}}, {rcvbuf, default},
        {rcvbuf, 0}, {rcvctrlbuf, 55}, {rcvctrlbuf, x}, {sndctrlbuf, 66}, {sndctrlbuf, default}, {use_registry, true}, {use_registry, false}, {meta, {a, "b", <<"c">>}}, {foo, 1}]],
    D = socket:getopt(S, {otp, domain}), T = [element(1, socket:getopt(S, {otp, fd})), try socket:setopt(S, {otp, fd}, 1) catch error:E -> E end],
    P = spawn(fun() -> receive {S1, From} -> From ! {self(), socket:setopt(S1, {otp, meta}, no)} end end), P ! {S, self()}, M = receive {P, X} -> X end,
    ok = socket:close(S), {R, D, T, M, socket:getopt(S, {otp, use_registry})}.

file() ->
    F = filename:join("/tmp", "boot_socket_" ++ os:getpid()), B = binary:copy(<<"abcdefghij">>, 200000), ok = file:write_file(F, B),
    {C, S} = pair(), Self = self(), spawn_link(fun() -> Self ! {got, socket:recv(S, byte_size(B) + 5)} end),
    {ok, D} = file:open(F, [read, raw, binary]), R = socket:sendfile(C, D), R2 = socket:sendfile(C, D, 3, 5),
    {ok, G} = receive {got, X} -> X end, Cn = counters(C, [sendfile_byte, sendfile_tries, sendfile_fails]), ok = file:close(D), R3 = socket:sendfile(C, D, 0, 1),
    ok = file:delete(F), ok = socket:close(C), ok = socket:close(S), {R, R2, G =:= <<B/binary, "defgh">>, Cn, R3}.

fd() ->
    {C, S} = pair(), {ok, F} = socket:getopt(C, {otp, fd}), {ok, D} = socket:open(F, #{}), #{ctype := {fromfd, F2}, wstates := W} = socket:info(D),
    ok = socket:send(D, <<"dup">>), R = socket:recv(S, 3), ok = socket:close(D), ok = socket:send(C, <<"x">>), R2 = socket:recv(S, 1),
    {ok, E} = socket:open(F, #{dup => false}), #{ctype := T} = socket:info(E), ok = socket:close(E), ok = socket:send(C, <<"y">>), R3 = socket:recv(S, 1),
    ok = socket:close(C), ok = socket:close(S), {F =:= F2, W, R, R2, T, R3, [socket:open(X, #{}) || X <- [9999]]}.

ioctl() ->
    {ok, S} = socket:open(inet, dgram, udp), {ok, I} = socket:ioctl(S, gifindex, "lo"), {ok, Cs} = socket:ioctl(S, gifconf),
    Try = fun(As) -> try apply(socket, ioctl, [S | As]) catch error:E -> E end end, {ok, #{family := H, addr := HA}} = socket:ioctl(S, gifhwaddr, "lo"),
    R = [socket:ioctl(S, gifname, I), [A || #{name := "lo", addr := A} <- Cs], [Try([Q, "lo"]) || Q <- [gifflags, gifaddr, gifnetmask, gifmtu, gifmap, giftxqlen, gifname, foo]],
        {H, byte_size(HA)}, Try([gifmtu, "nosuchif"]), Try([gifmtu, x]), Try([gifconf, "lo"]), Try([sifmtu, "nosuchif", 1]), Try([sifmtu, "lo", x])],
    ok = socket:close(S), R.

registry() ->
    {ok, S} = socket:open(inet, stream, tcp), M = socket:monitor(S), In = lists:member(S, socket:which_sockets(tcp)), T = {maps:get(protocol, socket:info(S)), maps:get(ctype, socket:info(S))},
    ok = socket:close(S), D = receive {'DOWN', M, socket, S, Y} -> Y end, {In, T, D, lists:member(S, socket:which_sockets())}.

%% A socket that nobody refers to any more, nor ever waited for, is closed.
lost() ->
    N = abstract(), {ok, L} = socket:open(local, stream), ok = socket:bind(L, N), ok = socket:listen(L),
    {P, M} = spawn_monitor(fun() -> connect_unseen(N), garbage_collect(), receive stop -> ok end end),
    {ok, S} = socket:accept(L), R = socket:recv(S, 1), P ! stop, receive {'DOWN', M, _, _, X} -> X end,
    ok = socket:close(S), ok = socket:close(L), {R, X}.
connect_unseen(N) -> {ok, C} = socket:open(local, stream, default, #{use_registry => false}), ok = socket:connect(C, N).
abstract() -> #{family => local, path => <<0, "boot_socket_", (integer_to_binary(erlang:unique_integer([positive])))/binary, (list_to_binary(os:getpid()))/binary>>}.

%% Closing, cancelling and dying at any moment; every request is answered.
storm() ->
    {L, A} = listener(), Self = self(),
    Rs = [begin
              {ok, C} = socket:open(inet, stream, tcp), ok = socket:connect(C, A), {ok, S} = socket:accept(L),
              Ps = [spawn_monitor(fun() -> exit({ended, element(1, socket:recv(S, 1, T))}) end) || T <- [infinity, infinity, 1, infinity]],
              case I rem 4 of
                  0 -> spawn(fun() -> ok = socket:send(C, <<"abcd">>), Self ! sent end), receive sent -> ok end;
                  1 -> spawn(fun() -> socket:close(S), Self ! sent end), receive sent -> ok end;
                  2 -> socket:close(C);
                  3 -> [exit(P, kill) || {P, _} <- tl(Ps)], socket:shutdown(S, read_write)
              end,
              Ends = [receive {'DOWN', M, _, _, R} -> R end || {_, M} <- Ps],
              [catch socket:close(X) || X <- [C, S]],
              lists:all(fun({ended, E}) -> E =:= ok orelse E =:= error; (killed) -> true; (_) -> false end, Ends)
          end || I <- lists:seq(1, 60)],
    ok = socket:close(L), {lists:usort(Rs), [X || X <- socket:which_sockets(fun(#{owner := O}) -> O =:= Self end)]}.

inet_backend() ->
    O = [{inet_backend, socket}, binary, {packet, 2}, {active, false}, {ip, {127, 0, 0, 1}}],
    {ok, L} = gen_tcp:listen(0, O), {ok, P} = inet:port(L), Self = self(),
    spawn_link(fun() -> {ok, A} = gen_tcp:accept(L), ok = gen_tcp:controlling_process(A, Self), Self ! {a, A} end),
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, P, [{inet_backend, socket}, binary, {packet, 2}, {active, false}]), A = receive {a, X} -> X end,
    ok = gen_tcp:send(C, <<"frame">>), R = gen_tcp:recv(A, 0), ok = inet:setopts(A, [{active, once}]), ok = gen_tcp:send(C, <<"two">>), R2 = receive {tcp, A, D} -> D end,
    ok = gen_tcp:close(C), ok = inet:setopts(A, [{active, true}]), R3 = receive {tcp_closed, A} -> closed end, ok = gen_tcp:close(L),
    {ok, U} = gen_udp:open(0, [{inet_backend, socket}, binary, {active, true}, {ip, {127, 0, 0, 1}}]), {ok, UP} = inet:port(U),
    ok = gen_udp:send(U, {127, 0, 0, 1}, UP, <<"self">>), R4 = receive {udp, U, _, _, UD} -> UD end, ok = gen_udp:close(U), {R, R2, R3, R4}.
