#!/usr/bin/env bash
# ffcv_build.sh PYTHON PREFIX: builds FFCV from its source release into the
# environment of PYTHON, against Debian's OpenCV and TurboJPEG unpacked below
# PREFIX. Nothing is installed on the system: FFCV uses two of OpenCV's modules,
# and the package with all headers would bring two hundred others.
set -euo pipefail

python=$(realpath -s "${1:?usage: ffcv_build.sh PYTHON PREFIX}") # -s: its link names its environment
prefix=$(mkdir -p "${2:?usage: ffcv_build.sh PYTHON PREFIX}" && readlink -f "$2")
opencv=$(apt-cache depends libopencv-core-dev | sed -n 's/.*Depends: \(libopencv-core[0-9.]*[a-z0-9]*\)$/\1/p' | head -1)
suffix=${opencv#libopencv-core}

cd "$prefix"
apt-get -q download libopencv-dev libopencv-core-dev libopencv-imgproc-dev "libopencv-core$suffix" "libopencv-imgproc$suffix" \
  libtbb12 libturbojpeg0 libturbojpeg0-dev liblapack3 libblas3 libgfortran5 libquadmath0
for package in ./*.deb; do dpkg -x "$package" .; done

libraries=$(dirname "$(find "$prefix" -name 'libopencv_core.so' | head -1)")
headers=$prefix/usr/include
# Of OpenCV's umbrella header only what is unpacked here.
modules=$(find "$headers" -name opencv_modules.hpp | head -1)
[[ -n $modules ]] || modules=$(find "$prefix" -name opencv_modules.hpp | head -1)
printf '#define HAVE_OPENCV_CORE\n#define HAVE_OPENCV_IMGPROC\n' >"$modules"

mkdir -p pkgconfig
flags="-I$headers/opencv4 -I$(dirname "$(dirname "$modules")") -I$headers"
printf 'Name: opencv4\nDescription: x\nVersion: 4\nCflags: %s\nLibs: -L%s -lopencv_core -lopencv_imgproc\n' "$flags" "$libraries" \
  >pkgconfig/opencv4.pc
printf 'Name: libturbojpeg\nDescription: x\nVersion: 2\nCflags: -I%s\nLibs: -L%s -lturbojpeg\n' "$headers" "$libraries" \
  >pkgconfig/libturbojpeg.pc
# The old kind of rpath, which holds for what OpenCV itself needs too.
PKG_CONFIG_PATH=$prefix/pkgconfig LDFLAGS="-Wl,--disable-new-dtags,-rpath,$libraries:$libraries/lapack:$libraries/blas" \
  "$python" -m pip install --disable-pip-version-check --quiet --no-build-isolation --no-deps --no-cache-dir 'ffcv>=1.0.2,<2'
