package node

import (
	"errors"
	"testing"
)

func TestEpmdAddresses(t *testing.T) {
	hosts := map[string][]string{
		"localhost": {"127.0.0.1"}, "six": {"::1", "127.0.0.1"}, "debian": {"127.0.1.1"}, "far": {"192.0.2.7"},
		"both": {"127.0.0.1", "192.0.2.7"},
	}
	lookup := func(h string) ([]string, error) {
		if a, ok := hosts[h]; ok {
			return a, nil
		}
		return nil, errors.New("no such host")
	}
	for _, c := range []struct{ flag, name, want string }{
		{"-sname", "a@localhost", "127.0.0.1"}, {"-name", "a@six", "::1,127.0.0.1"}, {"-name", "a@debian", "127.0.1.1,127.0.0.1"},
		{"-name", "a@far", ""}, {"-sname", "a@both", ""}, {"-name", "a@none", "127.0.0.1"},
	} {
		if got := epmdAddresses([]string{"-root", "/x", c.flag, c.name, "-hidden"}, lookup); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.flag, c.name, got, c.want)
		}
	}
}
