#!/usr/bin/env bash
# peers_venv.sh DIR [PIP ARGS...]: an environment with the peers of the loader
# benchmark in DIR, one with FFCV alone in DIR-ffcv, and one with torchvision in
# DIR-torchvision; all with the same version of torch. Each line of peers.txt
# is a step of its own: a peer that cannot be installed is named at the end and
# left out; the benchmark lists it with its import error.
#
# The torch of DIR may be a build for CPUs alone, whose libraries lack what
# torchvision's decoder is linked to; the registry's own build of the same version
# brings all of it (6 GB), and === asks for that one alone.
#
# FFCV is built from source (ffcv_build.sh), which wants g++, pkg-config and
# Debian's package lists; without them only its step fails.
set -uo pipefail

venv=${1:?usage: peers_venv.sh DIR [PIP ARGS...]}
shift
here=$(dirname "$(readlink -f "$0")")
python=${PYTHON:-python3}
torch=$(grep -o '^torch==[^ ]*' "$here/peers.txt")
failed=()

install() { # VENV WHAT... : one step, under the torch that is there already
  "$1/bin/python" -m pip install --disable-pip-version-check --quiet -c "$1/constraints.txt" "${pip_args[@]}" "${@:2}"
}

make_venv() { # VENV CONSTRAINT
  [[ -x $1/bin/python ]] || "$python" -m venv "$1" || exit 1
  printf '%s\n' "${2:-}" >"$1/constraints.txt"
}

pip_args=("$@")
make_venv "$venv" "$torch"
while read -r line; do
  if [[ -z $line || $line == \#* ]]; then continue; fi
  read -ra packages <<<"$line"
  echo "flatout: ${packages[0]%%[<>=]*}"
  install "$venv" "${packages[@]}" || failed+=("$line")
done <"$here/peers.txt"

# spdl-io wants FFmpeg's libraries by their usual names; the wheel `av` brings them under names of its own.
link_ffmpeg() { # SITE-PACKAGES
  local library name
  for library in "$1"/av.libs/*.so*; do
    name=$(basename "$library")
    ln -sf "$library" "$1/spdl/io/lib/$name" || return
    if [[ $name =~ ^(lib(av|sw)[a-z]+)-[0-9a-f]+(\.so\.[0-9]+) ]]; then
      ln -sf "$library" "$1/spdl/io/lib/${BASH_REMATCH[1]}${BASH_REMATCH[3]}"
    fi
  done
}
link_ffmpeg "$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')" || failed+=("FFmpeg for spdl")

torchvision=$venv-torchvision
make_venv "$torchvision"
echo "flatout: torchvision"
install "$torchvision" "${torch/==/===}" 'torchvision==0.28.0' 'numpy>=1.26,<3' 'pillow<14' || failed+=("torchvision")

ffcv=$venv-ffcv
make_venv "$ffcv" "$torch"
echo "flatout: ffcv"
# Its last release is of 2023: NumPy 1 and an OpenCV of that time; setuptools still has what its setup.py imports.
if install "$ffcv" "$torch" 'numpy>=1.26,<2' 'numba>=0.59,<0.62' 'opencv-python-headless>=4.8,<4.11' 'pillow<14' \
  'setuptools<81' wheel fastargs assertpy tqdm psutil pandas; then
  "$here/ffcv_build.sh" "$ffcv/bin/python" "$ffcv/debian" || failed+=("ffcv")
else
  failed+=("what ffcv needs")
fi

if ((${#failed[@]})); then
  printf 'flatout: not installed: %s\n' "${failed[@]}" >&2
fi
