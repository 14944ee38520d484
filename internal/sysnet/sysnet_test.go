package sysnet

import (
	"testing"

	"golang.org/x/sys/unix"
)

func loopback(port int) *Addr {
	a := &Addr{}
	a.SetFamily(unix.AF_INET)
	copy(a.B[2:], []byte{byte(port >> 8), byte(port), 127, 0, 0, 1})
	a.N = unix.SizeofSockaddrInet4
	return a
}

func TestDatagram(t *testing.T) {
	var fds [2]int
	var as [2]Addr
	for i := range fds {
		fd, e := Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
		if e != 0 {
			t.Fatal(e)
		}
		defer unix.Close(fd)
		if e := Bind(fd, loopback(0)); e != 0 {
			t.Fatal(e)
		}
		if e := Name(fd, &as[i]); e != 0 || as[i].Port() == 0 || as[i].Family() != unix.AF_INET {
			t.Fatal(e, as[i])
		}
		fds[i] = fd
	}
	if _, e := RecvFrom(fds[0], make([]byte, 10), 0, nil); e != unix.EAGAIN {
		t.Error(e)
	}
	if n, e := SendMsg(fds[1], [][]byte{[]byte("ab"), nil, []byte("c")}, nil, 0, &as[0]); n != 3 || e != 0 {
		t.Fatal(n, e)
	}
	var from Addr
	b := make([]byte, 2)
	c := make([]byte, 5)
	n, _, _, e := RecvMsg(fds[0], [][]byte{b, c}, nil, 0, &from)
	if n != 3 || e != 0 || string(b)+string(c[:1]) != "abc" || from.Port() != as[1].Port() {
		t.Error(n, e, b, c, from.Port())
	}
	if n, e := SendTo(fds[0], []byte("xyz"), 0, &as[1]); n != 3 || e != 0 {
		t.Fatal(n, e)
	}
	if n, e := RecvFrom(fds[1], c, 0, &from); n != 3 || e != 0 || from.Port() != as[0].Port() {
		t.Error(n, e, from.Port())
	}
}

func TestOptionsAndErrors(t *testing.T) {
	fd, e := Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if e != 0 {
		t.Fatal(e)
	}
	defer unix.Close(fd)
	if e := SetInt(fd, unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1); e != 0 {
		t.Fatal(e)
	}
	if v, e := GetInt(fd, unix.SOL_SOCKET, unix.SO_KEEPALIVE); v == 0 || e != 0 {
		t.Error(v, e)
	}
	if _, e := GetInt(-1, unix.SOL_SOCKET, unix.SO_KEEPALIVE); e != unix.EBADF {
		t.Error(e)
	}
	if e := Peer(fd, &Addr{}); e != unix.ENOTCONN {
		t.Error(e)
	}
	if _, e := Socket(9999, 1, 0); e != unix.EAFNOSUPPORT {
		t.Error(e)
	}
	if _, err := IfAddrs(); err != nil {
		t.Error(err)
	}
}
