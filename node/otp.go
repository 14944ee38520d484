package node

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// OTP is an installed Erlang/OTP.
type OTP struct {
	Root        string // absolute
	ErtsVersion string // "13.1.5"
	Release     string // "25"
	Version     string // "25.2.3", or empty when the installation does not say
}

// NoOTPError says that no OTP was found and where it was looked for.
type NoOTPError struct{ Tried []string }

func (e *NoOTPError) Error() string {
	return "no Erlang/OTP found; looked in: " + strings.Join(e.Tried, ", ") +
		" (name one with --otp-root DIR or BEAMRD_OTP_ROOT)"
}

// usualRoots are where packages put OTP.
var usualRoots = []string{"/usr/lib/erlang", "/usr/local/lib/erlang", "/usr/lib64/erlang", "/opt/erlang", "/opt/homebrew/lib/erlang"}

// FindOTP returns the OTP to boot. root, when not empty, is the only candidate.
// Else come BEAMRD_OTP_ROOT, ROOTDIR when BINDIR is ours (a child of a node
// boots what its parent did), `erl` on PATH, and the usual folders.
func FindOTP(root string) (*OTP, error) {
	if root != "" {
		return OpenOTP(root)
	}
	if r := os.Getenv("BEAMRD_OTP_ROOT"); r != "" {
		return OpenOTP(r)
	}
	var tried []string
	if r := os.Getenv("ROOTDIR"); r != "" && ownBindir(os.Getenv("BINDIR")) {
		if o, err := OpenOTP(r); err == nil {
			return o, nil
		}
		tried = append(tried, r)
	}
	for _, d := range filepath.SplitList(os.Getenv("PATH")) {
		erl := filepath.Join(d, "erl")
		if st, err := os.Stat(erl); err != nil || st.IsDir() || st.Mode()&0o111 == 0 || isSelf(erl) {
			continue
		}
		for _, r := range rootsOfErl(erl) {
			if o, err := OpenOTP(r); err == nil {
				return o, nil
			}
		}
		tried = append(tried, erl)
	}
	for _, r := range usualRoots {
		if o, err := OpenOTP(r); err == nil {
			return o, nil
		}
		tried = append(tried, r)
	}
	return nil, &NoOTPError{tried}
}

var rootdirLine = regexp.MustCompile(`(?m)^\s*ROOTDIR="?([^"\s$]+)"?\s*$`)

// rootsOfErl returns the roots an `erl` start script may belong to.
func rootsOfErl(erl string) (roots []string) {
	if p, err := filepath.EvalSymlinks(erl); err == nil {
		erl = p
	}
	roots = append(roots, filepath.Dir(filepath.Dir(erl)))
	// root/erts-V/bin/erl
	if up := filepath.Dir(filepath.Dir(filepath.Dir(erl))); strings.HasPrefix(filepath.Base(filepath.Dir(filepath.Dir(erl))), "erts-") {
		roots = append(roots, up)
	}
	if f, err := os.Open(erl); err == nil {
		defer f.Close()
		b := make([]byte, 8192)
		n, _ := f.Read(b)
		if b = b[:n]; strings.HasPrefix(string(b), "#!") {
			for _, m := range rootdirLine.FindAllSubmatch(b, -1) {
				roots = append(roots, string(m[1]))
			}
		}
	}
	return roots
}

// OpenOTP checks that a directory is the root of an OTP installation and reads
// its versions.
func OpenOTP(root string) (*OTP, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	if st, err := os.Stat(filepath.Join(abs, "lib")); err != nil || !st.IsDir() {
		return nil, fmt.Errorf("%s is not the root of an Erlang/OTP: it has no folder lib", abs)
	}
	o := &OTP{Root: abs}
	if o.ErtsVersion, err = ertsVersion(abs); err != nil {
		return nil, err
	}
	if o.Release, err = releaseOfErts(o.ErtsVersion); err != nil {
		return nil, fmt.Errorf("%s: %w", abs, err)
	}
	if b, err := os.ReadFile(filepath.Join(abs, "releases", o.Release, "OTP_VERSION")); err == nil {
		o.Version = strings.TrimSpace(string(b))
	}
	return o, nil
}

// ertsVersion reads releases/start_erl.data, or else takes the newest of the
// folders erts-V.
func ertsVersion(root string) (string, error) {
	if b, err := os.ReadFile(filepath.Join(root, "releases", "start_erl.data")); err == nil {
		if f := strings.Fields(string(b)); len(f) > 0 {
			return f[0], nil
		}
	}
	var vs []string
	for _, pat := range []string{"erts-*", "lib/erts-*"} {
		ds, _ := filepath.Glob(filepath.Join(root, pat))
		for _, d := range ds {
			vs = append(vs, strings.TrimPrefix(filepath.Base(d), "erts-"))
		}
	}
	if len(vs) == 0 {
		return "", fmt.Errorf("%s is not the root of an Erlang/OTP: neither releases/start_erl.data nor erts-*", root)
	}
	sort.Slice(vs, func(i, j int) bool { return versionLess(vs[i], vs[j]) })
	return vs[len(vs)-1], nil
}

func versionLess(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := 0; i < len(as) && i < len(bs); i++ {
		x, _ := strconv.Atoi(as[i])
		y, _ := strconv.Atoi(bs[i])
		if x != y {
			return x < y
		}
	}
	return len(as) < len(bs)
}

// releaseOfErts maps ERTS's major version to the OTP release: they have grown
// together since OTP 17 (ERTS 6), from OTP 21 (ERTS 10.0) on twelve apart,
// with 10.0 to 10.3 being 21 and 10.4 on 22.
func releaseOfErts(v string) (string, error) {
	parts := strings.SplitN(v, ".", 3)
	major, err := strconv.Atoi(parts[0])
	if err != nil || major < 10 {
		return "", errors.New("ERTS version " + v + " is not supported")
	}
	return strconv.Itoa(major + 12), nil
}
