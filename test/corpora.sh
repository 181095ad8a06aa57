#!/usr/bin/env bash
# Keeps the inputs that fuzzing has found, which would be lost with a machine, in test/corpora.tar.gz.
#
#   test/corpora.sh unpack FOLDER   adds those of the archive to the folder
#   test/corpora.sh pack FOLDER     makes the archive of those in the folder
#
# An input is a file of Go's format below PACKAGE/TARGET. The archive has the same bytes wherever it is made.
set -euo pipefail
[[ $# == 2 ]] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2 && exit 2; }
archive=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/corpora.tar.gz

case $1 in
unpack)
	[[ ! -e $archive ]] || tar -xzf "$archive" -C "$2"
	;;
pack)
	tar -C "$2" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u=rw,go=r -c . | gzip -9n >"$archive.part"
	mv "$archive.part" "$archive"
	;;
esac
