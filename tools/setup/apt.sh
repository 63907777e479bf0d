#!/usr/bin/env bash
# apt.sh LIST: have every Debian package named in LIST (one a line) installed.
# As root, or with sudo that asks no password, it installs what is missing;
# otherwise it prints the one line that would and exits 1. Nothing missing
# means no apt call at all, so that a second `make` costs nothing.
set -euo pipefail

list=$1
if ! command -v dpkg-query >/dev/null; then
  echo "flatout: not a Debian-like system, so packages are not checked; needed are the equivalents of:" >&2
  sed 's/^/  /' "$list" >&2
  exit 0
fi

missing=()
while read -r package; do
  status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  if [[ $status != installed ]]; then missing+=("$package"); fi
done <"$list"
if ((${#missing[@]} == 0)); then exit 0; fi

as_root=()
if ((EUID != 0)); then
  if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root=(sudo -n)
  else
    sudo_word=""
    if command -v sudo >/dev/null; then sudo_word="sudo "; fi
    echo "flatout: system packages are missing and only root may install them. Run this line, then make again:" >&2
    echo "${sudo_word}apt-get install -y --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
fi

echo "flatout: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "${missing[@]}"; then
  echo "flatout: apt-get could not install: ${missing[*]} (its reason is above)" >&2
  exit 1
fi
