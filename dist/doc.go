// Package dist talks to Erlang nodes: it opens a connection as a hidden node
// does, calls functions, sends to processes, and links and monitors them. It
// needs no Erlang on its own side. Terms are those of dist/etf, the port mapper
// is dist/epmd.
//
//	c, err := dist.Dial(ctx, "a@localhost", dist.Options{Cookie: "secret"})
//	if err != nil { … }
//	defer c.Close()
//	v, err := c.Call(ctx, "erlang", "system_info", etf.Atom("otp_release"))
//
// A connection is all of a node that there is: it has one peer, and its
// processes are mailboxes (Conn.Mailbox). When it ends, Conn.Done is closed,
// links break and monitors fire with the reason noconnection.
//
// The protocol is version 6 of OTP's distribution, as OTP 25 and later speak
// it; older nodes are refused. What a peer sends is taken for hostile: a packet
// that is not as it should be, or that asks for too much memory, ends the
// connection and nothing else.
package dist
