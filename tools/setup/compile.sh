#!/usr/bin/env bash
# compile.sh PRESET [CMAKE BUILD ARGS...]: builds build/PRESET. Instead of a line for each file it shows one line of progress that is
# written over on a terminal, and one for each quarter elsewhere. What the compiler says passes as it is.
set -euo pipefail

preset=$1
shift
begun=$SECONDS
on_terminal=0
if [[ -t 1 ]]; then on_terminal=1; fi
shown=0

show() { # DONE ALL
  local text="compiling flatout: $1 of $2 files, $((SECONDS - begun)) s"
  if ((on_terminal)); then
    printf '\r\033[K%s' "$text"
    if (($1 == $2)); then printf '\n'; fi
  elif (($1 * 4 / $2 > shown || $1 == $2)); then
    shown=$(($1 * 4 / $2))
    echo "$text"
  fi
}

follow() {
  local line
  while IFS= read -r line; do
    if [[ $line =~ ^flatout-step\ ([0-9]+)/([0-9]+)\  ]]; then
      show "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
    elif [[ $line != "ninja: no work to do." ]]; then
      if ((on_terminal)); then printf '\r\033[K'; fi
      printf '%s\n' "$line"
    fi
  done
}

NINJA_STATUS="flatout-step %f/%t " cmake --build "build/$preset" "$@" 2>&1 | follow
