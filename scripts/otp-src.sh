#!/bin/sh
# otp-src.sh DIR: unpack the OTP sources of the distribution into DIR (once).
set -eu
dir=$1
[ -d "$dir/erts" ] && exit 0
sudo=""; [ "$(id -u)" = 0 ] || sudo=sudo
mkdir -p "$dir.tmp/lists/partial"; cd "$dir.tmp"
# A private source list: deb-src lines for the archive apt already uses.
apt-get indextargets --format '$(REPO_URI) $(CODENAME)' | grep -E '/debian/? ' | sort -u |
  while read -r uri name; do echo "deb-src $uri $name main"; done >src.list
o="-oDir::Etc::sourcelist=$PWD/src.list -oDir::Etc::sourceparts=/dev/null -oDir::State::Lists=$PWD/lists -oAPT::Sandbox::User=root -oDir::Cache::pkgcache= -oDir::Cache::srcpkgcache="
apt-get $o -qq update
apt-get $o -qq source --download-only erlang >/dev/null
command -v dpkg-source >/dev/null || DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq dpkg-dev >/dev/null
dpkg-source -x erlang_*.dsc src >/dev/null
cd - >/dev/null; rm -rf "$dir"; mv "$dir.tmp/src" "$dir"; rm -rf "$dir.tmp"
