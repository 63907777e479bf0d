#!/usr/bin/env bash
# web.sh [--or-without]: builds the page of `flatout ui` (web/) into build/web/dist, from where it gets
# into the binary, where anything of it changed. With --or-without a machine that cannot is no failure:
# one line says that this build has no page, or an older one.
set -euo pipefail
cd "$(dirname "$0")/../.."

without=
if [[ ${1:-} == --or-without ]]; then without=yes; fi
dist=build/web/dist
log=build/web/build.log

cannot() {
  local left="this build has no page"
  if [[ -f $dist/index.html ]]; then left="this build has the page that was built before"; fi
  echo "flatout: $1, so $left for \`flatout ui\`; $2" >&2
  if [[ -n $without ]]; then exit 0; fi
  exit 1
}

if [[ -f $dist/index.html && -z $(find web src/report/html/assets/colours.css -path web/node_modules -prune -o -type f -newer $dist/index.html -print -quit) ]]; then exit 0; fi
if ! command -v npm >/dev/null; then cannot "npm is not installed" "apt-get install nodejs npm, then make again"; fi

mkdir -p build/web
if [[ ! -f web/node_modules/.package-lock.json || web/package-lock.json -nt web/node_modules/.package-lock.json ]]; then
  if ! (cd web && npm ci --no-progress) >"$log" 2>&1; then cannot "npm could not fetch what web/ needs" "its reason is in $log"; fi
  touch web/node_modules/.package-lock.json
fi
if ! (cd web && npm run build) >"$log" 2>&1; then cannot "web/ does not build" "the reason is in $log"; fi
