#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Proves that the set-up works where nothing is installed: makes a minimal Debian 12 in a temporary
# folder, puts this working tree into it and runs a command there on two cores, twice.
#
#   tests/setup/bare_machine.sh                 ./dev demo: under 6 minutes, then at once
#   tests/setup/bare_machine.sh --and ./dev test    the same, then this command in that machine
#   tests/setup/bare_machine.sh ./dev help      any other command, once
#
# Needs root and debootstrap. Packages come from where this machine gets them: its apt and pip
# configuration, certificates, name resolution and proxy settings are copied.
set -eu
cd "$(dirname "$0")/../.."

demo_seconds_max=360
again_seconds_max=30  # two to start, twenty for the demo itself, and some air

[ "$(id -u)" = 0 ] || {
  echo "bare_machine: run this as root: it needs chroot and mount" >&2
  exit 2
}

bare=$(mktemp -d "${TMPDIR:-/var/tmp}/bare-machine.XXXXXX")
# Mounts live in the mount namespace of `inside`, so nothing of this machine hangs in the folder.
trap 'rm -rf "$bare"' EXIT
trap 'exit 130' INT TERM

make_debian() {
  cache=$PWD/.setup/debootstrap
  mkdir -p "$cache"
  chmod 755 "$bare" # as / is: other users, PostgreSQL's for one, go through it
  # shellcheck disable=SC2016 # $(REPO_URI) is apt's
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' \
    'Codename: bookworm' 2>/dev/null | head -n 1)
  debootstrap --variant=minbase --cache-dir="$cache" bookworm "$bare" ${mirror:+"$mirror"} \
    >"$cache/log" 2>&1 || {
    tail -n 20 "$cache/log" >&2
    exit 1
  }
}

# copy PATH...: what exists of these, to the same place in the bare machine.
copy() {
  for path in "$@"; do
    [ -e "$path" ] || continue
    mkdir -p "$bare$(dirname "$path")"
    cp -rL "$path" "$bare$(dirname "$path")/"
  done
}

copy_access() {
  rm -rf "$bare/etc/apt/sources.list" "$bare/etc/apt/sources.list.d"
  copy /etc/apt/sources.list /etc/apt/sources.list.d /etc/apt/auth.conf /etc/apt/auth.conf.d \
    /etc/apt/trusted.gpg.d /etc/apt/keyrings /usr/share/keyrings
  # Only settings of access: a hook for another program would fail there.
  for settings in $(grep -l '^Acquire' /etc/apt/apt.conf.d/* 2>/dev/null); do copy "$settings"; done
  copy /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/ssl/certs/ca-certificates.crt \
    /usr/local/share/ca-certificates
}

# The files that a commit of this working tree would hold.
copy_tree() {
  mkdir "$bare/windrow"
  git -c safe.directory="$PWD" ls-files -z --cached --others --exclude-standard |
    tar --null --ignore-failed-read -T - -cf - 2>/dev/null | tar -xf - -C "$bare/windrow"
}

# inside COMMAND...: in the bare machine, in the tree, on two cores, with an empty environment but
# for pip's and the proxies' settings.
inside() {
  kept=$(env | grep -iE '^(PIP_[A-Z_]+|[a-z]+_proxy)=' || true)
  two=$(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' | awk -F- '
    { for (cpu = $1; cpu <= $NF && n < 2; cpu++) printf "%s%s", n++ ? "," : "", cpu }')
  (
    IFS='
'
    # shellcheck disable=SC2086 # one setting a line
    # pivot_root, not chroot: in a chroot nobody may make a user namespace, and a test does.
    exec unshare --mount --pid --fork --kill-child taskset -c "$two" sh -c '
      bare=$1 && shift
      mount --bind "$bare" "$bare" && mount -t proc proc "$bare/proc" &&
        mount --rbind /sys "$bare/sys" && mount --rbind /dev "$bare/dev" &&
        { mountpoint -q "$bare/dev/shm" ||
          mount -t tmpfs -o mode=1777 shm "$bare/dev/shm"; } &&
        cd "$bare" && pivot_root . mnt && umount -l /mnt && exec "$@"
    ' inside "$bare" /usr/bin/env -i $kept \
      PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
      sh -c 'cd /windrow && exec "$@"' inside "$@"
  )
}

# timed LIMIT COMMAND...
timed() {
  limit=$1
  shift
  start=$(date +%s)
  inside "$@"
  seconds=$(($(date +%s) - start))
  echo "bare_machine: $* took $seconds s, $limit s are allowed"
  [ "$seconds" -le "$limit" ]
}

make_debian
copy_access
copy_tree
if [ $# = 0 ] || [ "$1" = --and ]; then
  timed "$demo_seconds_max" ./dev demo
  timed "$again_seconds_max" ./dev demo
  [ $# = 0 ] || shift
fi
[ $# = 0 ] || inside "$@"
