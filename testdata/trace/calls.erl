-module(calls).
-export([main/0,f/1,g/1,h/1,e/1]).
f(X) -> Y = g(X), {f,Y}.
g(X) -> Y = h(X+1), [Y].
h(X) -> lists:reverse([X,a]).
e(X) -> try hd(id(X)) + g(1) catch error:R -> R end.
id(X) -> (persistent_term:get(foo,erlang)):list_to_atom(X).
fl() -> receive M -> [M|fl()] after 0 -> [] end.
run(F,D) -> S = self(), P = spawn(fun() -> S ! {ready,self()}, receive go -> try F() after atomics:put(D,1,1) end, ok end, receive stop -> ok end end), receive {ready,P} -> P end.
%% Waits for the end of what P does, and for all that was traced of it. What P
%% does then shows only as being scheduled out.
ended(P,D,Fl) ->
  case atomics:get(D,1) of
    1 -> case lists:member(procs,Fl) of true -> gone(P); false -> ok end,
         case lists:member(running,Fl) of true -> receive after 500 -> ok end; false -> ok end,
         R = erlang:trace_delivered(P), receive {trace_delivered,P,R} -> ok end;
    0 -> receive after 1 -> ok end, ended(P,D,Fl)
  end.
%% How often a process is scheduled, and where, depends on its slices: out and in
%% take turns.
scheduled(R) -> {lists:usort([element(3,M) || M <- R]), [X || {A,B} = X <- lists:zip(lists:droplast(R),tl(R)), element(3,A) =:= element(3,B)]}.
gone(P) -> case is_process_alive(P) of true -> receive after 1 -> ok end, gone(P); false -> ok end.
main() ->
  S = self(),
  T = fun(Pat,MS,Fl,PFl,F) ->
     N = erlang:trace_pattern(Pat,MS,Fl),
     D = atomics:new(1,[]),
     P = run(F,D),
     1 = erlang:trace(P,true,[{tracer,S}|PFl]),
     P ! go,
     ended(P,D,PFl),
     R = fl(),
     I = erlang:trace_info(P,flags),
     I2 = case Pat of {_,_,A} when is_integer(A) -> [erlang:trace_info(Pat,K)||K<-[traced,match_spec,call_count,all]]; _ -> [] end,
     exit(P,kill),
     erlang:trace_pattern({'_','_','_'},false,[local]),
     erlang:trace_pattern({'_','_','_'},false,[]),
     fix([{N,I,I2}|case lists:member(running,PFl) of true -> scheduled(R); false -> R end])
  end,
  [T({calls,'_','_'},true,[local],[call],fun() -> calls:f(1) end),
   T({calls,'_','_'},true,[],[call],fun() -> f(1),calls:f(1) end),
   T({calls,'_','_'},[{'_',[],[{return_trace}]}],[local],[call,return_to],fun() -> f(1),calls:f(1) end),
   T({calls,'_','_'},[{'_',[],[{exception_trace},{message,{caller}}]}],[local],[call,return_to,arity],fun() -> e("abc"), e(3) end),
   T({lists,reverse,1},[{['$1'],[{is_list,'$1'}],[{return_trace},{message,'$1'}]}],[local],[call],fun() -> f(1),calls:f(1) end),
   T({lists,'_','_'},true,[local],[call,return_to],fun() -> f(1),calls:f(1) end),
   T({erlang,list_to_atom,1},[{'_',[],[{return_trace}]}],[local],[call,return_to],fun() -> e("abc") , catch e(3) end),
   T({erlang,list_to_atom,1},[{'_',[],[{exception_trace}]}],[],[call,return_to],fun() -> e("abc") , catch e(3) end),
   T({calls,g,1},[{[1],[],[]},{'_',[],[{message,false}]}],[call_count,local],[call],fun() -> g(1),g(2) end),
   T({calls,g,1},true,[local],[call,procs,send,'receive'],fun() -> spawn_link(fun() -> ok end), self() ! {a,b}, receive {a,b} -> ok end, link(S), unlink(S), register(foo,self()), exit(bye) end),
   T({calls,g,1},true,[local],[running],fun() -> receive after 10 -> ok end end),
   T({'_','_','_'},false,[local],[call],fun() -> calls:f(1) end) =/= x,
   T({lists,'_','_'},true,[],[call],fun() -> lists:map(fun(X) -> X end,[1,2]) end),
   T({calls,xx,'_'},true,[],[call],fun() -> lists:map(fun(X) -> X end,[1,2]) end),
   bad(catch erlang:trace_pattern({calls,xx,a},true,[])),
   bad(catch erlang:trace_pattern({calls,g,1},[{a}],[local])),
   bad(catch erlang:trace(new,true,[foo])),
   bad(catch erlang:trace(new,foo,[call]))
 ].
bad({'EXIT',{R,[{M,F,A,_}|_]}}) -> {R,M,F,fix(A)}.
fix(T) -> put(n,0), fx(T).
fx(P) when is_pid(P) -> case get(P) of undefined -> N=get(n),put(n,N+1),put(P,{pid,N}),{pid,N}; X -> X end;
fx([H|T]) -> [fx(H)|fx(T)];
fx(T) when is_tuple(T) -> list_to_tuple(fx(tuple_to_list(T)));
fx(F) when is_function(F) -> 'fun';
fx(R) when is_reference(R) -> ref;
fx(T) -> T.
