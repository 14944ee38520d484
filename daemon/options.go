// Package daemon runs a node as a service: `beamrd start NAME`. It gives the
// node a place for its state and one for what lives as long as it runs, its
// log, the modules that it was given before, and what systemd wants to hear.
//
// The part that runs on the node is the module beamrd (control/beamrd.erl).
package daemon

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Options say how a node is run.
type Options struct {
	Name string // of the service: names its folders, and the node unless Short or Long does

	Short, Long string // the node's name, as -sname or -name; at most one of them
	CookieFile  string // holds the cookie, made if it is missing; empty: Erlang's own rules
	Config      []string
	Boot        string
	OTPRoot     string
	HTTP        string // see node.Options.Observe
	Listen      string // IP address on which other nodes are awaited; empty: that of the node's host

	StateDir string        // empty: $STATE_DIRECTORY, or in $XDG_STATE_HOME
	LogFile  string        // empty: standard output, or the journal
	Restore  string        // RestoreStrict, RestoreLenient or RestoreOff
	Deadline time.Duration // of an orderly stop; 0: none

	Args []string // further flags of erl

	// Program is the command, without Args, that runs the node in the
	// foreground; for Detach.
	Program []string
}

// What a start does about stored modules that cannot be loaded again.
const (
	RestoreStrict  = "strict"  // the node does not start
	RestoreLenient = "lenient" // it is logged, and the node starts without them
	RestoreOff     = "off"     // none is loaded again
)

var nodeName = regexp.MustCompile(`^[A-Za-z0-9_-]+(@[^@/\s]+)?$`)

// check returns what is wrong with the options.
func (o *Options) check() error {
	if !nodeName.MatchString(o.Name) {
		return fmt.Errorf("%q is no name for a node: letters, digits, _ and -, and @HOST after them", o.Name)
	}
	if o.Short != "" && o.Long != "" {
		return errors.New("--sname and --name exclude each other")
	}
	if o.Listen != "" && net.ParseIP(o.Listen) == nil {
		return fmt.Errorf("--listen takes an IP address, not %q", o.Listen)
	}
	for _, n := range []string{o.Short, o.Long} {
		if n != "" && !nodeName.MatchString(n) {
			return fmt.Errorf("%q is no name for a node", n)
		}
	}
	switch o.Restore {
	case "":
		o.Restore = RestoreStrict
	case RestoreStrict, RestoreLenient, RestoreOff:
	default:
		return fmt.Errorf("--restore is %s, %s or %s, not %q", RestoreStrict, RestoreLenient, RestoreOff, o.Restore)
	}
	for i, a := range o.Args {
		if a == "-extra" {
			break
		}
		if (a == "-sname" || a == "-name") && i+1 < len(o.Args) {
			return fmt.Errorf("name the node with --%s instead of %s", a[1:], a)
		}
		if a == "-detached" {
			return errors.New("use --detach instead of -detached")
		}
		if a == "-setcookie" && o.CookieFile != "" {
			return errors.New("--cookie-file and -setcookie exclude each other")
		}
	}
	return nil
}

// service is the name of the folders: the node's name without its host.
func (o *Options) service() string {
	n, _, _ := strings.Cut(o.Name, "@")
	return n
}

// flags returns erl's command line.
func (o *Options) flags() []string {
	f := []string{"-noinput", "+Bi"}
	switch {
	case o.Long != "":
		f = append(f, "-name", o.Long)
	case o.Short != "":
		f = append(f, "-sname", o.Short)
	case strings.Contains(hostOf(o.Name), "."):
		f = append(f, "-name", o.Name)
	default:
		f = append(f, "-sname", o.Name)
	}
	for _, c := range o.Config {
		f = append(f, "-config", c)
	}
	if o.Boot != "" {
		f = append(f, "-boot", o.Boot)
	}
	return append(append(f, o.listen()...), o.Args...)
}

// listen returns the flags that bind distribution to one address: other nodes
// get in where the node's name leads them, which is loopback unless the name
// says otherwise. What the user says to OTP itself comes first.
func (o *Options) listen() []string {
	ip := net.ParseIP(o.Listen)
	if ip == nil {
		if len(o.Config) > 0 || slices.Contains(o.Args, "-config") || slices.Contains(o.Args, "inet_dist_use_interface") ||
			slices.Contains(o.Args, "-proto_dist") {
			return nil
		}
		ip = hostIP(hostOf(cmp.Or(o.Long, o.Short, o.Name)))
	}
	return []string{"-kernel", "inet_dist_use_interface", tuple(ip)}
}

// hostIP returns the IPv4 address of a host, of this one if the name is empty;
// loopback if it cannot be found.
func hostIP(host string) net.IP {
	if host == "" {
		host, _ = os.Hostname()
	}
	ips, err := net.LookupIP(host)
	if err == nil {
		for _, ip := range ips {
			if v4 := ip.To4(); v4 != nil {
				return v4
			}
		}
	}
	return net.IPv4(127, 0, 0, 1)
}

// tuple writes an address as Erlang does.
func tuple(ip net.IP) string {
	if v4 := ip.To4(); v4 != nil {
		return fmt.Sprintf("{%d,%d,%d,%d}", v4[0], v4[1], v4[2], v4[3])
	}
	var w []string
	for i := 0; i < 16; i += 2 {
		w = append(w, strconv.Itoa(int(ip[i])<<8|int(ip[i+1])))
	}
	return "{" + strings.Join(w, ",") + "}"
}

func hostOf(name string) string {
	_, h, _ := strings.Cut(name, "@")
	return h
}
