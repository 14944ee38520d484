package node

import (
	"context"
	"net"
	"os"
	"slices"
	"strings"
	"time"
)

// epmdEnv is the variable that says where the port mapper listens.
const epmdEnv = "ERL_EPMD_ADDRESS"

// epmdAddresses returns where a port mapper listens that this node starts, as
// ERL_EPMD_ADDRESS has it: on the loopback interface unless the node's name says
// otherwise, whose host others ask. Empty: everywhere. args are init's.
func epmdAddresses(args []string, lookup func(host string) ([]string, error)) string {
	host := ""
	for i, a := range args {
		if (a == "-name" || a == "-sname") && i+1 < len(args) {
			_, host, _ = strings.Cut(args[i+1], "@")
			break
		}
	}
	if host == "" {
		host, _ = os.Hostname()
	}
	addrs, err := lookup(host)
	if err != nil {
		return "127.0.0.1" // nobody else finds it either
	}
	for _, a := range addrs {
		if ip := net.ParseIP(a); ip == nil || !ip.IsLoopback() {
			return ""
		}
	}
	if !slices.Contains(addrs, "127.0.0.1") {
		addrs = append(addrs, "127.0.0.1")
	}
	return strings.Join(addrs, ",")
}

// lookupTime bounds the wait for a name server while the node starts.
const lookupTime = 2 * time.Second

// lookupHost resolves a name, less the loopback addresses that this machine does
// not have (those of IPv6 where that is off).
func lookupHost(host string) ([]string, error) {
	all, err := resolveHost(host)
	return slices.DeleteFunc(all, func(a string) bool {
		if ip := net.ParseIP(a); ip == nil || !ip.IsLoopback() {
			return false
		}
		l, err := net.Listen("tcp", net.JoinHostPort(a, "0"))
		if err == nil {
			l.Close()
		}
		return err != nil
	}), err
}

func resolveHost(host string) ([]string, error) {
	if net.ParseIP(host) != nil {
		return []string{host}, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookupTime)
	defer cancel()
	return net.DefaultResolver.LookupHost(ctx, host)
}
