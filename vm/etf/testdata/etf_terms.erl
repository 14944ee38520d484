%% Writes terms in all encodings to a file: length (32 bits) and bytes, four a term.
-module(etf_terms).
-export([main/1]).
main([Out])->
 rand:seed(exsss,{1,2,3}),
 Fixed=[a,'å','ж','',list_to_atom(lists:duplicate(255,$x)),list_to_atom(lists:duplicate(255,16#436)),list_to_atom(lists:duplicate(200,16#e5)),
  0,1,255,256,-1,1 bsl 31,-(1 bsl 31),-(1 bsl 31)-1,(1 bsl 31)-1,1 bsl 58,(1 bsl 59)-1,1 bsl 59,-(1 bsl 59),-(1 bsl 59)-1,1 bsl 63,1 bsl 64,(1 bsl 64)-1,-(1 bsl 64), 1 bsl 2039, 1 bsl 2040, -(1 bsl 2040),1 bsl 5000,
  1.5,-0.0,0.0,1.0e308,5.0e-324,"abc",[1,a],[],{},{a},<<>>,<<1>>,<<1:3>>,<<0:64/unit:8>>,<<1:65/unit:8>>,<<5:1001>>,
  self(),make_ref(),fun lists:map/2,fun erlang:'+'/2,hd(erlang:ports()),
  list_to_tuple(lists:seq(1,255)),list_to_tuple(lists:seq(1,256)),list_to_tuple(lists:seq(1,3000)),
  lists:duplicate(65535,7),lists:duplicate(65536,7),[256],[a|b],[[],[[]]|{}],lists:seq(0,256),
  lists:foldl(fun(_,A)->[A] end,[],lists:seq(1,10000)), lists:foldl(fun(_,A)->{A} end,[],lists:seq(1,10000)),
  fun(X)->X+1 end, (fun(Y,Z)->fun()->{Y,Z} end end)(1,"two"),
  binary_to_term(<<131,103,100,0,3,$a,$@,$b,0,0,0,5,0,0,0,6,2>>),binary_to_term(<<131,88,100,0,3,$a,$@,$b,255,0,0,5,255,0,0,6,255,0,0,1>>),
  binary_to_term(<<131,120,100,0,3,$a,$@,$b,0,255,0,5,255,0,0,6,255,0,0,1>>),binary_to_term(<<131,89,100,0,3,$a,$@,$b,255,0,0,5,0,0,0,6>>),
  binary_to_term(<<131,89,100,0,3,$a,$@,$b,5,0,0,5,0,0,0,6>>),
  binary_to_term(<<131,90,0,5,100,0,3,$a,$@,$b,0,0,0,6,1:32,2:32,3:32,4:32,5:32>>),binary_to_term(<<131,90,0,1,100,0,3,$a,$@,$b,0,0,0,6,1:32>>),
  binary_to_term(<<131,114,0,3,100,0,3,$a,$@,$b,1,1:32,2:32,3:32>>),binary_to_term(<<131,101,100,0,3,$a,$@,$b,1:32,1>>)],
 Maps=[#{},#{a=>1,1=>2,1.0=>c,"x"=>d,{}=>[]},maps:from_list([{X,X*X}||X<-lists:seq(1,32)]),maps:from_list([{X,X*X}||X<-lists:seq(1,33)]),
  maps:from_list([{{X},[X]}||X<-lists:seq(1,1000)]),maps:from_list([{integer_to_binary(X),#{X=>1}}||X<-lists:seq(1,100)]),
  maps:from_list([{X/7,#{X=>1}}||X<-lists:seq(1,5000)])],
 Rand=[rnd(5)||_<-lists:seq(1,2000)],
 {ok,F}=file:open(Out,[write,raw,binary]),
 [begin Bs=[term_to_binary(T),term_to_binary(T,[{minor_version,0}]),term_to_binary(T,[{minor_version,2}]),term_to_binary(T,[deterministic])],
   file:write(F,[[<<(byte_size(Q)):32>>,Q]||Q<-Bs]) end||T<-Fixed++Rand++Maps],
 file:close(F),halt().
rnd(0)->sc(rand:uniform(9));
rnd(N)->case rand:uniform(5) of
 1->[rnd(N-1)||_<-lists:seq(1,rand:uniform(5))];
 2->list_to_tuple([rnd(N-1)||_<-lists:seq(1,rand:uniform(5))]);
 3->[rnd(N-1)|rnd(N-1)];
 _->sc(rand:uniform(9)) end.
sc(1)->rand:uniform(1000)-500; sc(2)->rand:uniform(1 bsl 70)-(1 bsl 69); sc(3)->rand:normal(); sc(4)->list_to_atom(integer_to_list(rand:uniform(500)));
sc(5)->rand:bytes(rand:uniform(100)); sc(6)-><<(rand:uniform(1 bsl 90)):(rand:uniform(90))>>; sc(7)->[]; sc(8)->lists:seq(1,rand:uniform(20)); sc(9)->rand:uniform(1 bsl 700).
