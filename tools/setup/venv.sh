#!/usr/bin/env bash
# venv.sh PYTHON VENV REQUIREMENTS TORCH_SPEC [PIP ARGS...]: a Python with
# torch for the examples, or with the list of the tests also for those. A stamp
# inside the environment holds what was asked for, one for each list, so that
# the second call only compares two strings.
set -euo pipefail

python=$1 venv=$2 requirements=$3 torch=$4
shift 4

if ! command -v "$python" >/dev/null; then
  echo "flatout: no '$python' here; name another with make PYTHON=/path/to/python3" >&2
  exit 1
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))'; then
  echo "flatout: $python is older than 3.9; name another with make PYTHON=/path/to/python3" >&2
  exit 1
fi

wanted=$(printf '%s\n' "$torch"; cat "$requirements")
stamp=$venv/.flatout-installed-$(basename "$requirements" .txt)
if [[ -x $venv/bin/python && -f $stamp && $(<"$stamp") == "$wanted" ]]; then exit 0; fi

if [[ ! -x $venv/bin/python ]]; then
  echo "flatout: creating $venv with $python"
  "$python" -m venv "$venv"
fi
echo "flatout: installing $torch and $(grep -vc '^#' "$requirements") other packages of $requirements into $venv (torch is large; this is once)"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$@" "$torch" -r "$requirements"
printf '%s\n' "$wanted" >"$stamp"
