#!/bin/bash
# deb.sh BINARY OUTDIR: makes beamrd_VERSION_ARCH.deb with dpkg-deb. The binary
# is static, so there are no libraries to depend on.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$1
out=$2
arch=$(dpkg --print-architecture)
commit=$(git describe --always --dirty 2>/dev/null || echo unknown)
date=$(git log -1 --format=%cd --date=format:%Y%m%d%H%M 2>/dev/null || date +%Y%m%d%H%M)
version=0.1~git$date.${commit//[^A-Za-z0-9]/.}
mkdir -p "$out"
stage=$(mktemp -d "$out/stage.XXXXXX")
trap 'rm -rf "$stage"' EXIT
chmod 755 "$stage"

DESTDIR=$stage PREFIX=/usr UNITDIR=/lib/systemd/system scripts/install.sh "$bin"
doc=$stage/usr/share/doc/beamrd
install -d "$doc" "$stage/DEBIAN"
install -m 644 packaging/debian/copyright "$doc/copyright"
install -D -m 644 packaging/debian/overrides "$stage/usr/share/lintian/overrides/beamrd"
printf 'beamrd (%s) unstable; urgency=medium\n\n  * Built from commit %s.\n\n -- %s  %s\n' "$version" "$commit" \
	"$(sed -n 's/^Maintainer: //p' packaging/debian/control.in)" "$(date -R)" | gzip -9n >"$doc/changelog.gz"
chmod 644 "$doc/changelog.gz"
size=$(du -sk --exclude=DEBIAN "$stage" | cut -f1)
sed "s/@version@/$version/; s/@arch@/$arch/; s/@size@/$size/" packaging/debian/control.in >"$stage/DEBIAN/control"
for s in postinst prerm postrm; do install -m 755 "packaging/debian/$s" "$stage/DEBIAN/$s"; done
(cd "$stage" && find usr lib -type f -exec md5sum {} +) >"$stage/DEBIAN/md5sums"
dpkg-deb --root-owner-group --build "$stage" "$out/beamrd_${version}_$arch.deb"
