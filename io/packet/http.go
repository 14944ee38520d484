package packet

import "strings"

// Kind is what a line of HTTP is.
type Kind uint8

// The kinds.
const (
	BadLine Kind = iota
	Request
	Response
	Header
	EndOfHeaders
)

// URIKind is the form of a request's target.
type URIKind uint8

// The forms.
const (
	Star    URIKind = iota
	AbsPath         // Host holds the path
	AbsHTTP         // Host, Port (0: none) and Path
	AbsHTTPS
	Scheme // Host holds the scheme, Path the rest
	Other  // Host holds it all
)

// URI is a request's target.
type URI struct {
	Kind       URIKind
	Host, Path []byte
	Port       int32
}

// Message is a parsed line. Slices are parts of the input, but for Name.
type Message struct {
	Kind         Kind
	Major, Minor int32
	Status       int32
	Method       []byte // of a request
	URI          URI
	Phrase       []byte // of a response
	Name         []byte // of a header, in canonical case
	RawName      []byte
	Value        []byte
}

// HeaderNames are the header names that have a number, which is the index
// here plus one, and are atoms in Erlang.
var HeaderNames = strings.Fields(`Cache-Control Connection Date Pragma Transfer-Encoding Upgrade Via Accept
	Accept-Charset Accept-Encoding Accept-Language Authorization From Host If-Modified-Since If-Match If-None-Match
	If-Range If-Unmodified-Since Max-Forwards Proxy-Authorization Range Referer User-Agent Age Location
	Proxy-Authenticate Public Retry-After Server Vary Warning Www-Authenticate Allow Content-Base Content-Encoding
	Content-Language Content-Length Content-Location Content-Md5 Content-Range Content-Type Etag Expires
	Last-Modified Accept-Ranges Set-Cookie Set-Cookie2 X-Forwarded-For Cookie Keep-Alive Proxy-Connection`)

// Methods are the methods that are atoms in Erlang.
var Methods = strings.Fields("OPTIONS GET HEAD POST PUT DELETE TRACE")

// maxName is the longest header name that is put into canonical case.
const maxName = 50

// ParseHTTP parses a line (as Length delimits it). header says whether it is a
// header line, and is updated for the next one.
func ParseHTTP(line []byte, header *bool) (m Message) {
	b := line
	if n := len(b); n >= 2 && b[n-2] == '\r' {
		b = b[:n-2]
	} else if n >= 1 && b[n-1] == '\n' {
		b = b[:n-1]
	}
	ok := false
	switch {
	case !*header && strings.HasPrefix(string(b[:min(5, len(b))]), "HTTP/"):
		ok = m.response(b)
	case !*header:
		ok = m.request(b)
	case len(b) == 0:
		*header = false
		m.Kind = EndOfHeaders
		return m
	default:
		return m.header(b)
	}
	if !ok {
		return Message{}
	}
	*header = true
	return m
}

// number reads digits; it wraps at 32 bits as in ERTS.
func number(b []byte) (v int32, rest []byte) {
	for len(b) > 0 && b[0] >= '0' && b[0] <= '9' {
		v = v*10 + int32(b[0]-'0')
		b = b[1:]
	}
	return v, b
}

func skipSpace(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	return b
}

// version reads Major.Minor.
func (m *Message) version(b []byte) (rest []byte, ok bool) {
	p := b
	m.Major, b = number(b)
	if len(b) == len(p) || len(b) == 0 || b[0] != '.' {
		return nil, false
	}
	p = b[1:]
	m.Minor, b = number(p)
	return b, len(b) != len(p)
}

func (m *Message) response(b []byte) bool {
	m.Kind = Response
	b, ok := m.version(b[5:])
	if !ok || len(b) == 0 || !isSpace(b[0]) {
		return false
	}
	m.Status, b = number(skipSpace(b))
	if len(b) > 0 && !isSpace(b[0]) {
		return false
	}
	m.Phrase = skipSpace(b)
	return true
}

func (m *Message) request(b []byte) bool {
	m.Kind = Request
	i := 0
	for i < len(b) && !isSpecial(b[i]) {
		i++
	}
	if i == 0 || i == len(b) || !isSpace(b[i]) {
		return false
	}
	m.Method, b = b[:i], skipSpace(b[i:])
	i = 0
	for i < len(b) && !isSpace(b[i]) {
		i++
	}
	if i == 0 {
		return false
	}
	m.URI = parseURI(b[:i])
	b = skipSpace(b[i:])
	if len(b) == 0 {
		m.Major, m.Minor = 0, 9
		return true
	}
	if len(b) < 8 || string(b[:5]) != "HTTP/" {
		return false
	}
	_, ok := m.version(b[5:])
	return ok
}

// header parses "Name: Value".
func (m Message) header(b []byte) Message {
	i := 0
	for i < len(b) && !isSpecial(b[i]) {
		i++
	}
	if i == len(b) || b[i] != ':' {
		return Message{}
	}
	m.Kind = Header
	m.RawName, m.Value = b[:i], skipSpace(b[i+1:])
	m.Name = m.RawName
	if i <= maxName {
		m.Name = canonical(m.RawName)
	}
	return m
}

// canonical writes a name with a capital at the start and after each dash.
func canonical(name []byte) []byte {
	c := make([]byte, len(name))
	up := true
	for i, b := range name {
		switch {
		case up:
			if b >= 'a' && b <= 'z' {
				b -= 'a' - 'A'
			}
			up = false
		case b >= 'A' && b <= 'Z':
			b += 'a' - 'A'
		case b == '-':
			up = true
		}
		c[i] = b
	}
	return c
}

func isSpecial(c byte) bool {
	return c <= 32 || c >= 128 || strings.IndexByte("()<>@,;:\\\"/[]?={}", c) >= 0
}

func parseURI(b []byte) URI {
	switch {
	case len(b) == 1 && b[0] == '*':
		return URI{Kind: Star}
	case len(b) <= 1 || b[0] == '/':
		return URI{Kind: AbsPath, Host: b}
	case len(b) >= 7 && strings.EqualFold(string(b[:7]), "http://"):
		return absolute(AbsHTTP, b[7:])
	case len(b) >= 8 && strings.EqualFold(string(b[:8]), "https://"):
		return absolute(AbsHTTPS, b[8:])
	}
	for i, c := range b {
		if c == ':' {
			return URI{Kind: Scheme, Host: b[:i], Path: b[i+1:]}
		}
	}
	return URI{Kind: Other, Host: b}
}

// absolute splits host[:port][/path]; a port that is no number is none.
func absolute(k URIKind, b []byte) URI {
	u := URI{Kind: k, Host: b, Path: []byte("/")}
	for i, c := range b {
		if c == '/' {
			u.Host, u.Path = b[:i], b[i:]
			break
		}
	}
	for i, c := range u.Host {
		if c == ':' {
			if v, rest := number(u.Host[i+1:]); len(rest) == 0 {
				u.Port = v
			}
			u.Host = u.Host[:i]
			break
		}
	}
	return u
}
