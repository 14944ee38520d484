// Package epmd is the port mapper of Erlang nodes: a server that does what
// OTP's epmd does, its command line, and a client.
//
// A request is two bytes of length and the request, whose first byte says what
// it is. A node is known for as long as the connection by which it registered.
package epmd

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// DefaultPort is where a port mapper listens.
const DefaultPort = 4369

const (
	reqAlive   = 120
	reqPort    = 122
	reqNames   = 110
	reqDump    = 100
	reqKill    = 107
	reqStop    = 115
	respAliveX = 118
	respAlive  = 121
	respPort   = 119

	maxRequest = 2048
	maxName    = 255 // characters
)

// Node is what a node tells of itself.
type Node struct {
	Name     string
	Port     uint16
	Type     byte // 77: an Erlang node, 72: a hidden one
	Protocol byte // 0: TCP over IPv4
	Highest  uint16
	Lowest   uint16
	Extra    []byte
}

var errRequest = errors.New("epmd: malformed request")

// ErrNoNode says that no node of a name is registered.
var ErrNoNode = errors.New("epmd: no such node")

// ErrRefused says that a name is taken or not acceptable.
var ErrRefused = errors.New("epmd: the name is refused")

func validName(s []byte) bool {
	n := utf8.RuneCount(s)
	if n < 1 || n > maxName || !utf8.Valid(s) {
		return false
	}
	for _, c := range s {
		if c == 0 {
			return false
		}
	}
	return true
}

// parseNode reads a node from its port on: as in requests and answers.
func parseNode(b []byte) (n Node, err error) {
	if len(b) < 10 {
		return n, errRequest
	}
	n.Port, n.Type, n.Protocol = binary.BigEndian.Uint16(b), b[2], b[3]
	n.Highest, n.Lowest = binary.BigEndian.Uint16(b[4:]), binary.BigEndian.Uint16(b[6:])
	name, rest, err := takeString(b[8:])
	if err != nil || !validName(name) {
		return n, errRequest
	}
	extra, _, err := takeString(rest)
	if err != nil {
		return n, errRequest
	}
	n.Name, n.Extra = string(name), append([]byte(nil), extra...)
	return n, nil
}

func takeString(b []byte) (s, rest []byte, err error) {
	if len(b) < 2 || len(b)-2 < int(binary.BigEndian.Uint16(b)) {
		return nil, nil, errRequest
	}
	n := int(binary.BigEndian.Uint16(b))
	return b[2 : 2+n], b[2+n:], nil
}

func (n *Node) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint16(b, n.Port)
	b = append(b, n.Type, n.Protocol)
	b = binary.BigEndian.AppendUint16(b, n.Highest)
	b = binary.BigEndian.AppendUint16(b, n.Lowest)
	b = binary.BigEndian.AppendUint16(b, uint16(len(n.Name)))
	b = append(b, n.Name...)
	b = binary.BigEndian.AppendUint16(b, uint16(len(n.Extra)))
	return append(b, n.Extra...)
}

// request frames a request.
func request(b ...byte) []byte {
	return append(binary.BigEndian.AppendUint16(nil, uint16(len(b))), b...)
}

func readRequest(r io.Reader) ([]byte, error) {
	var l [2]byte
	if _, err := io.ReadFull(r, l[:]); err != nil {
		return nil, err
	}
	n := int(binary.BigEndian.Uint16(l[:]))
	if n < 1 || n > maxRequest {
		return nil, fmt.Errorf("%w: %d bytes", errRequest, n)
	}
	b := make([]byte, n)
	_, err := io.ReadFull(r, b)
	return b, err
}
