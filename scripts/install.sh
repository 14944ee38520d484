#!/bin/bash
# install.sh BINARY: installs below $DESTDIR$PREFIX; units, and the user that
# they name, for systemd.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$1
dest=${DESTDIR:-}
prefix=${PREFIX:-/usr/local}
units=${UNITDIR:-$prefix/lib/systemd/system}

install -D -m 755 "$bin" "$dest$prefix/bin/beamrd"
for u in packaging/systemd/*.service packaging/systemd/*.socket; do
	install -d "$dest$units"
	sed "s|@bindir@|$prefix/bin|g" "$u" >"$dest$units/$(basename "$u")"
	chmod 644 "$dest$units/$(basename "$u")"
done
install -D -m 644 packaging/systemd/sysusers.conf "$dest$prefix/lib/sysusers.d/beamrd.conf"
install -d "$dest$prefix/share/man/man1"
gzip -9nc packaging/beamrd.1 >"$dest$prefix/share/man/man1/beamrd.1.gz"
chmod 644 "$dest$prefix/share/man/man1/beamrd.1.gz"
