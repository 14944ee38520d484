%% Calls of ets and what real erl answers, as one external term in base 64:
%% [{Function, Args, {ok,R} | {Class,Reason,Cause}}]. Tables are named.
-module(ets_cases).
-export([main/1]).

main([_]) ->
    rand:seed(exsss, {1,2,3}),
    Calls = fixed() ++ lists:append([random(K) || K <- [set, bag, duplicate_bag, ordered_set]]) ++ specs(),
    Out = [{F, A, run(F, A)} || {F, A} <- Calls],
    io:put_chars(base64:encode(term_to_binary(Out))),
    halt(0).

run(chunks, [Tab, Spec, N]) ->
    try {ok, chunks(ets:select(Tab, Spec, N))} catch C:R:S -> {C, R, cause(S)} end;
run(rchunks, [Tab, Spec, N]) ->
    try {ok, rchunks(ets:select_reverse(Tab, Spec, N))} catch C:R:S -> {C, R, cause(S)} end;
run(mchunks, [Tab, Pat, N]) ->
    try {ok, mchunks(ets:match(Tab, Pat, N))} catch C:R:S -> {C, R, cause(S)} end;
run(match_spec_test, A) ->
    try {ok, apply(erlang, match_spec_test, A)} catch C:R:S -> {C, R, cause(S)} end;
run(F, A) ->
    try {ok, apply(ets, F, A)} catch C:R:S -> {C, R, cause(S)} end.

chunks('$end_of_table') -> [];
chunks({L, K}) -> [L | chunks(ets:select(K))].
rchunks('$end_of_table') -> [];
rchunks({L, K}) -> [L | rchunks(ets:select_reverse(K))].
mchunks('$end_of_table') -> [];
mchunks({L, K}) -> [L | mchunks(ets:match(K))].

cause([{_, _, _, Info} | _]) ->
    case proplists:get_value(error_info, Info) of
        #{cause := C} -> C;
        _ -> none
    end.

fixed() ->
    [{new, [T, O]} || {T, O} <- [
        {set, [named_table]}, {bag, [named_table, bag]}, {duplicate_bag, [named_table, duplicate_bag]},
        {ordered_set, [named_table, ordered_set]}, {wc, [named_table, public, {write_concurrency, true}]},
        {comp, [named_table, compressed]}, {pos2, [named_table, {keypos, 2}]},
        {set, [named_table]}, {1, []}, {x, [foo]}, {x, [{keypos, 0}]}, {x, [{keypos, a}]}, {x, foo}, {x, [set|bag]},
        {x, [{heir, foo}]}, {x, [{write_concurrency, foo}]}, {x, [{read_concurrency, foo}]},
        {x, [ordered_set, {write_concurrency, {debug_hash_fixed_number_of_locks, 8}}]}]] ++
    [{insert, [nosuch, {a}]}, {insert, [set, a]}, {insert, [set, {}]}, {insert, [pos2, {a}]}, {insert, [set, [{a}, b]]},
     {insert, [set, [{a}|b]]}, {insert, [{}, {a}]}, {insert, [set, []]}, {insert, [set, [{a, 1}]]},
     {insert_new, [set, {a, 2}]}, {insert_new, [set, [{b, 1}, {a, 1}]]}, {insert_new, [set, [{b, 1}, {b, 2}, {c, 1}]]},
     {insert_new, [set, []]}, {insert_new, [set, foo]}, {lookup, [set, a]}, {lookup, [set, b]}, {lookup, [set, zz]},
     {lookup, [nosuch, zz]}, {lookup, [17, zz]}, {member, [set, a]}, {member, [set, aa]},
     {lookup_element, [set, a, 2]}, {lookup_element, [set, a, 3]}, {lookup_element, [set, q, 2]},
     {lookup_element, [set, a, 0]}, {lookup_element, [set, a, x]},
     {first, [set]}, {next, [set, nokey]}, {next, [ordered_set, nokey]}, {last, [ordered_set]}, {prev, [ordered_set, 1]},
     {delete, [set, a]}, {delete, [nosuch]}, {delete, [nosuch, a]}, {delete_object, [set, a]}, {delete_object, [pos2, {a}]},
     {slot, [set, -1]}, {slot, [set, a]}, {slot, [set, 256]}, {slot, [set, 257]}, {slot, [ordered_set, 0]}, {slot, [ordered_set, 1]},
     {safe_fixtable, [set, foo]}, {safe_fixtable, [set, true]}, {info, [set, fixed]}, {safe_fixtable, [set, false]},
     {info, [set, fixed]}, {info, [set, foo]}, {info, [nosuch]}, {info, [nosuch, size]}, {info, [1, size]}, {info, [{}]},
     {info, [set, size]}, {info, [set, memory]}, {info, [ordered_set, memory]}, {info, [comp, compressed]},
     {info, [wc, write_concurrency]}, {info, [wc, stats]}, {info, [set, keypos]}, {info, [pos2, keypos]}, {info, [set, type]},
     {info, [set, protection]}, {info, [set, heir]}, {info, [set, name]}, {info, [set, named_table]}, {info, [set, node]},
     {info, [set, stats]}, {info, [ordered_set, stats]}, {whereis, [nosuch]}, {whereis, [1]},
     {rename, [nosuch, foo]}, {rename, [set, bag]}, {rename, [set, 1]}, {rename, [pos2, pos22]}, {info, [pos22, name]}, {rename, [pos22, pos2]},
     {give_away, [set, foo, 1]}, {give_away, [nosuch, self(), 1]}, {give_away, [set, 1, 1]},
     {setopts, [set, foo]}, {setopts, [set, [{protection, foo}]]}, {setopts, [set, {protection, public}]}, {info, [set, protection]},
     {setopts, [set, [{protection, protected}, {protection, public}]]}, {setopts, [set, [{heir, none}]]}, {setopts, [nosuch, []]},
     {take, [set, nokey]}, {take, [nosuch, a]}] ++ counters().

counters() ->
    [{insert, [set, {c, 1, 2.0, foo, 1 bsl 80}]}, {insert, [ordered_set, {1, 10}]}] ++
    [{update_counter, A} || A <- [
        [set, c, 1], [set, c, -5], [set, c, {2, 7}], [set, c, [{2, 1}, {2, 2}, {5, 1}]], [set, c, {5, 1 bsl 70}],
        [set, c, {2, 100, 50, 0}], [set, c, {2, -100, -50, 0}], [set, c, {2, 1, 1 bsl 90, 7}], [set, c, {3, 1}], [set, c, {4, 1}],
        [set, c, {1, 1}], [set, c, {9, 1}], [set, c, {0, 1}], [set, c, {-1, 1}], [set, c, {2, a}], [set, c, {2}], [set, c, {2, 1, 1}],
        [set, c, {2, 1, a, 1}], [set, c, {2, 1, 1, a}], [set, c, foo], [set, c, []], [set, c, [{2, 1}|foo]], [set, c, [{2, 1}, foo]],
        [set, nokey, 1], [set, nokey, foo], [bag, c, 1], [nosuch, c, 1], [set, c, {a, 1}], [set, c, 1.5],
        [ordered_set, 1, 1], [ordered_set, 1.0, 5], [set, c, [{2, 1}, {1, 1}]], [set, c, [{1, 1}, foo]], [set, c, [{3, 1}, foo]],
        [set, new1, 1, {x, 5}], [set, new2, {3, 4}, {x, 5, 6}], [set, new3, 1, foo], [set, new4, 1, {}], [set, new5, {9, 1}, {x, 1}],
        [set, new6, 1, {x}], [set, c, 1, {x, 7}], [set, new7, [], {x, 1}], [set, c, {2, 1 bsl 62}], [set, c, {2, -(1 bsl 62)}]]] ++
    [{lookup, [set, K]} || K <- [c, new1, new2, new4, new5, new7]] ++
    [{update_element, A} || A <- [
        [set, c, {2, foo}], [set, c, [{2, 1}, {3, <<"abc">>}]], [set, c, {1, x}], [set, c, {0, x}], [set, c, {10, x}], [set, c, foo],
        [set, c, []], [set, c, [{2, 1}|x]], [set, nokey, {2, 1}], [bag, c, {2, 1}], [nosuch, c, {2, 1}], [set, c, {2, 1, 1}],
        [ordered_set, 1, {2, {a, b, "c"}}], [set, c, {a, 1}]]] ++
    [{lookup, [set, c]}, {lookup, [ordered_set, 1]}].

key() ->
    case rand:uniform(14) of
        1 -> a; 2 -> b; 3 -> cc; 4 -> 1; 5 -> 1.0; 6 -> {7, rand:uniform(5)}; 7 -> [rand:uniform(3)];
        8 -> <<"key", (rand:uniform(3))>>; 9 -> rand:uniform(20); 10 -> {rand:uniform(3), float(rand:uniform(3))};
        11 -> 1 bsl 70; 12 -> []; 13 -> {}; 14 -> #{9 => rand:uniform(2)}
    end.

obj() -> {key(), rand:uniform(4), key()}.

random(T) ->
    lists:append([case rand:uniform(10) of
        N when N < 6 -> [{insert, [T, obj()]}];
        6 -> K = key(), [{delete, [T, K]}, {lookup, [T, K]}];
        7 -> [{delete_object, [T, obj()]}];
        8 -> K = key(), [{lookup, [T, K]}, {member, [T, K]}];
        9 -> [{insert, [T, [obj(), obj(), obj()]]}];
        10 -> [{take, [T, key()]}]
    end || _ <- lists:seq(1, 150)]) ++
    [{first, [T]}, {last, [T]}, {tab2list, [T]}, {info, [T, size]}].

specs() ->
    Tabs = [set, bag, duplicate_bag, ordered_set, comp],
    [{insert, [comp, [obj() || _ <- lists:seq(1, 40)]]}] ++
    [{match, [T, P]} || T <- Tabs, P <- patterns()] ++
    [{match_object, [T, P]} || T <- Tabs, P <- patterns()] ++
    [{select, [T, S]} || T <- Tabs, S <- selects()] ++
    [{select_reverse, [T, S]} || T <- Tabs, S <- selects()] ++
    [{select_count, [T, S]} || T <- Tabs, S <- selects() ++ counts()] ++
    [{chunks, [T, S, N]} || T <- Tabs, S <- lists:sublist(selects(), 12), N <- [1, 3, 100]] ++
    [{rchunks, [T, S, N]} || T <- [ordered_set, set], S <- lists:sublist(selects(), 12), N <- [1, 3, 100]] ++
    [{mchunks, [T, P, N]} || T <- Tabs, P <- patterns(), N <- [2, 7]] ++
    [{match_spec_test, [O, S, table]} || O <- [{a, 1, 2}, {1, 2, 3}, {}], S <- selects() ++ counts()] ++
    [{match_spec_test, [O, S, trace]} || O <- [[a, 1], [], [1, 2, 3], foo], S <- traces()] ++
    [{select, [T, S]} || T <- [set, nosuch, 1], S <- [foo, [foo], [{a, b}], []]] ++
    [{select, [set, S, N]} || S <- [foo, [{'_', [], ['$_']}]], N <- [0, -1, a]] ++
    [{select, [K]} || K <- [foo, {}, {set}, {set, 1, 2, 3, [], 0}, {nosuch, 1}, '$end_of_table', {1}]] ++
    [{select_replace, [T, S]} || T <- Tabs, S <- replaces()] ++
    [{tab2list, [T]} || T <- Tabs] ++
    [{select_delete, [T, S]} || T <- Tabs, S <- counts()] ++
    [{tab2list, [T]} || T <- Tabs] ++
    [{match_delete, [T, P]} || T <- Tabs, P <- [{'$1', 2, '$1'}, {a, '_', '_'}, {1, '_', '_'}]] ++
    [{delete_all_objects, [T]} || T <- Tabs] ++
    [{tab2list, [T]} || T <- Tabs] ++ [{delete, [T]} || T <- Tabs] ++ [{info, [set]}].

patterns() ->
    ['_', '$1', {'$1', '_', '_'}, {'_', '$1', '$2'}, {'$1', '_', '$1'}, {'$2', '$1', '_'}, {a, '$1', '$2'}, {1, '$1', '_'}, {1.0, '$1', '_'},
     {{7, '$1'}, '$2', '_'}, {['$1'], '_', '_'}, {'$1', '_', {7, '$1'}}, {'$10', '$9', '_'}, {'$1', '$2'}, {}, foo, 1, [], "abc",
     {#{9 => '$1'}, '_', '_'}, {#{}, '$1', '_'}, {#{'$1' => 1}, '_', '_'}, {#{'_' => 1}, '_', '_'}, {'_', '_', #{9 => '$1'}},
     {<<"key", 1>>, '$1', '_'}, {1 bsl 70, '$1', '_'}, {{'$1', 2.0}, '_', '_'}, {'$01', '_', '_'}, {'$1000000', '_', '_'}, {[], '_', '$1'}].

selects() ->
    [[{P, [], ['$_']}] || P <- [{'$1', '$2', '$3'}, '_', {a, '_', '_'}, {{7, '_'}, '_', '_'}]] ++
    [[{{'$1', '$2', '$3'}, [], ['$$']}], [{{'$1', '$2', '$3'}, [{'>', '$2', 2}], [{{'$1', '$2'}}]}],
     [{{a, '$1', '_'}, [], ['$1']}, {{b, '$1', '_'}, [], [{{b, '$1'}}]}],
     [{{1, '$1', '_'}, [], ['$_']}, {{1.0, '$1', '_'}, [], ['$_']}],
     [{{'$1', '$2', '_'}, [{'==', '$2', 1}], ['$1']}, {{'$1', '$2', '_'}, [{'==', '$2', 2}], [{{two, '$1'}}]}],
     [{{a, '$1', '_'}, [], ['$1']}, {{'$2', '$1', a}, [], [{{'$2', b, '$1'}}]}],
     [{foo, [], ['$_']}], [{{a}, [], ['$_']}],
     [{{{7, '$1'}, '_', '_'}, [{'>', '$1', 2}], ['$1']}]] ++
    [[{{'$1', '$2', '$3'}, [], [E]}] || E <- exprs()] ++
    [[{{'$1', '$2', '$3'}, [G], ['$1']}] || G <- guards()] ++
    [[{{'$1', '_', '_'}, [], []}], [{{'$1', '_', '_'}, [], foo}], [{{'$1', '_', '_'}, foo, ['$1']}], [{{'$1', '_', '_'}, [true|foo], ['$1']}],
     [{{'$1', '_', '_'}, [], ['$2']}], [{{'$1', '_', '_'}, [], ['$1'|foo]}], [{{'$1', '_', '_'}, [], ['$1', '$1', {{'$1'}}]}],
     [{{'_', '_', '_'}, [], ['$$']}]].

exprs() ->
    [{const, {a, '$1'}}, {{'$1', {const, '$1'}}}, {{}}, {{{{}}}}, [], ['$1'|'$2'], ['$1', '$2', {{'$3'}}], "abc", <<"bin">>, 1.5, 1 bsl 90,
     #{a => '$1'}, #{'$1' => '$2'}, #{}, #{a => {const, b}, c => {{d}}}, {'+', '$2', 1}, {'+', '$1', 1}, {'-', '$2'}, {'+', '$1'}, {'*', '$2', 2.5},
     {'/', '$2', 2}, {'div', 7, '$2'}, {'rem', 7, '$2'}, {'div', 7, 0}, {'band', '$2', 1}, {'bor', '$2', 8}, {'bxor', '$2', 3}, {'bnot', '$2'},
     {'bsl', '$2', 70}, {'bsr', '$2', 1}, {'>', '$1', '$2'}, {'>=', '$1', '$3'}, {'<', '$1', '$2'}, {'=<', '$1', '$2'}, {'=:=', '$1', '$3'},
     {'=/=', '$1', '$3'}, {'==', '$1', 1}, {'/=', '$1', 1}, {'not', true}, {'not', '$1'}, {'and', true, '$1'}, {'or', false, '$1'}, {'xor', true, false},
     {'xor', true, '$1'}, {'and', true, false, true}, {'or', false, false}, {'and', true}, {'and'}, {'or'}, {'andalso', true, '$1'}, {'andalso', '$1', true},
     {'andalso', false, '$1'}, {'orelse', true, '$1'}, {'orelse', '$1', true}, {'orelse', false, foo}, {'andthen', true, foo}, {'orelse'}, {'andalso'},
     {is_atom, '$1'}, {is_integer, '$1'}, {is_float, '$1'}, {is_number, '$1'}, {is_list, '$1'}, {is_tuple, '$1'}, {is_map, '$1'}, {is_binary, '$1'},
     {is_pid, '$1'}, {is_port, '$1'}, {is_reference, '$1'}, {is_function, '$1'}, {is_record, '$1', 7, 2}, {is_record, '$1', x}, {is_boolean, '$1'},
     {is_record, '$1', 1, 2}, {abs, '$1'}, {abs, -5}, {abs, -1.5}, {element, 2, '$_'}, {element, 4, '$_'}, {element, a, '$_'}, {hd, '$1'}, {tl, '$1'},
     {length, '$1'}, {length, [1|2]}, {size, '$1'}, {byte_size, '$1'}, {bit_size, '$1'}, {tuple_size, '$1'}, {map_size, '$1'}, {map_get, 9, '$1'},
     {is_map_key, 9, '$1'}, {is_map_key, k, a}, {binary_part, '$1', 1, 2}, {binary_part, '$1', {0, 1}}, {binary_part, '$1', 9, 9}, {round, '$1'},
     {round, 2.5}, {round, -2.5}, {trunc, 2.7}, {trunc, 1.0e20}, {float, '$2'}, {float, a}, {node}, {node, a}, {node, {self}}, {nosuch, 1}, {self, 1},
     {message, 1}, {'$1', 1}, {a, 1}, {1, 2}, {}, '_', '$_', '$$', {const}, {const, 1, 2}, {get_tcw}, {{'$_', '$_', '$$'}}, {'++', '$1', []},
     {'+', 1, {'+', 2, {'+', 3, '$2'}}}, {'if', true}, {max, 1, 2}, {ceil, 1.5}, {floor, 1.5}, ['$1'|{self, 2}], {return_trace}].

guards() ->
    [true, false, foo, {'>', '$2', 2}, {'==', {'+', '$1', 1}, 2}, {is_atom, '$1'}, {'not', {is_atom, '$1'}}, {'or', {is_atom, '$1'}, {is_tuple, '$1'}},
     {'and', {is_atom, '$1'}, {'==', '$2', 1}}, {'orelse', {is_atom, '$1'}, {'>', {hd, '$1'}, 1}}, {'andalso', {is_list, '$1'}, {'>', {length, '$1'}, 0}},
     {'=:=', '$1', {const, {7, 1}}}, {'=:=', '$1', {{7, 1}}}, {'==', '$9', 1}, {const, true}, {'and', foo, true}, {'and', false, foo}, {'or', true, foo},
     {'andalso', false, foo}, {element, 1, {{true}}}, '$1', {map_get, 9, '$1'}, {'==', {map_get, 9, '$1'}, 1}, {message, true}, {is_seq_trace}].

counts() ->
    [[{{'$1', '$2', '_'}, [{'==', '$2', 1}], [true]}], [{{a, '_', '_'}, [], [true]}], [{{'$1', '_', '_'}, [], [{is_tuple, '$1'}]}],
     [{{'$1', '_', '_'}, [], ['$1']}], [{{{7, 2}, '_', '_'}, [], [true]}, {{{7, 3}, '_', '_'}, [], [true]}], [{{{7, '_'}, '_', '_'}, [], [true]}]].

replaces() ->
    [[{{'$1', '$2', '$3'}, [{is_atom, '$1'}], [{{'$1', {'+', '$2', 1}, '$3'}}]}], [{{'$1', '$2', '$3'}, [{'==', '$2', 2}], ['$_']}],
     [{{'$1', '$2', '$3'}, [], [{{'$2', '$1'}}]}], [{{a, '$2', '$3'}, [], [{{a, '$2', changed}}]}], [{{a, '_', '_'}, [], [{const, {a, 1, c}}]}],
     [{{a, '_', '_'}, [], [{const, {b, 1, c}}]}], [{{{7, '$1'}, '$2', '$3'}, [], [{{{{7, '$1'}}, '$3', '$2'}}]}],
     [{{'$1', '$2', '_'}, [], [{{{element, 1, '$_'}, '$2', new}}]}], [{'$1', [], [{const, {a, 1}}]}], [{{'_', '_'}, [], [{{'_', a}}]}],
     [{{1 bsl 70, '_', '_'}, [], [{{1 bsl 70, big, "list"}}]}], [{{'$1', '_', '_'}, [], ['$1', '$_']}], foo, []].

traces() ->
    [[{['$1', '$2'], [], []}], [{'_', [], []}], [{'$1', [], [{message, '$1'}]}], [{['$1'|'_'], [], []}], [{['_', '_'], [], [{return_trace}]}],
     [{[a, '$1'], [{is_integer, '$1'}], [{message, {{'$1', '$$', '$_'}}}]}], [{'_', [], [{exception_trace}, {message, {caller}}]}],
     [{[], [], [{message, false}]}], [{foo, [], []}], [{{a}, [], []}], [{'_', [{nosuch}], []}], [{'_', [], ['$1']}], [{'_', [{message, 1}], []}],
     [{'_', [], [{silent, true}]}], [{'_', [{is_seq_trace}], []}], [{'_', [], [{get_seq_token}]}], [{'_', foo, []}], [{'_', [], foo}], foo, [foo],
     [{[#{'$1' => a}], [], []}], [{'_', [], [{const}, {self, 1}, {'and'}]}], [{['$1'], [], [{'+', '$2', '$3'}]}]].
