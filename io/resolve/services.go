package resolve

import (
	"strconv"
	"strings"
)

// serviceLine reads "name port/proto alias…".
func serviceLine(w []string) (port int, proto string, ok bool) {
	p, proto, ok := strings.Cut(w[1], "/")
	port, err := strconv.Atoi(p)
	return port, proto, ok && err == nil && port >= 0 && port <= 65535
}

// ServByName returns the port of a service. An empty protocol matches any.
func ServByName(name, proto string) (port int, found bool) {
	eachLine(ServicesFile, func(w []string) bool {
		n, pr, ok := serviceLine(w)
		if !ok || proto != "" && pr != proto {
			return true
		}
		for i, s := range w {
			if i != 1 && s == name {
				port, found = n, true
				return false
			}
		}
		return true
	})
	return port, found
}

// ServByPort returns the name of a port's service.
func ServByPort(port int, proto string) (name string, found bool) {
	eachLine(ServicesFile, func(w []string) bool {
		n, pr, ok := serviceLine(w)
		if ok && n == port && (proto == "" || pr == proto) {
			name, found = w[0], true
		}
		return !found
	})
	return name, found
}

// Protocols calls f with the number, name and aliases of each protocol of
// /etc/protocols.
func Protocols(f func(number int, names []string)) {
	eachLine("/etc/protocols", func(w []string) bool {
		if n, err := strconv.Atoi(w[1]); err == nil {
			f(n, append([]string{w[0]}, w[2:]...))
		}
		return true
	})
}
