#!/usr/bin/env bash
# configure.sh PRESET [CMAKE ARGS...]: configures build/PRESET of the folder it is called in. A build folder remembers where it was made, and CMake
# refuses it elsewhere: after the checkout was moved or copied it is configured anew.
set -euo pipefail

preset=$1
shift
folder=build/$preset
cache=$folder/CMakeCache.txt

if [[ -f $cache ]] && ! grep -qxF -e "CMAKE_HOME_DIRECTORY:INTERNAL=$(pwd)" -e "CMAKE_HOME_DIRECTORY:INTERNAL=$(pwd -P)" "$cache"; then
  echo "flatout: this checkout was moved; $folder is configured anew, and compiled" >&2
  rm -rf "$cache" "$folder/CMakeFiles"
fi
exec cmake --preset "$preset" "$@"
