#!/bin/sh
# Builds faiss-node's one source file against the system's FAISS. Its own install script fetches a binary, or FAISS itself,
# from a code host: this needs neither. Exits 0 when the module stands, 1 when it cannot; the reason is then in
# .runtime/faiss-missing, and the exact index answers meanwhile.
set -eu

home=$1
. "$home/setup/common.sh"

module="$home/node_modules/faiss-node"
target="$module/build/Release/faiss-node.node"
missing="$home/.runtime/faiss-missing"

give_up() {
  say "FAISS is not available: $1. Vectors are searched by the exact index meanwhile."
  printf '%s\n' "$1" >"$missing"
  exit 1
}

has_headers() {
  printf '#include <faiss/Index.h>\n' | c++ -E -x c++ - >/dev/null 2>&1
}

version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$module/package.json")
cached="$home/.runtime/faiss-node-$version-$(uname -s)-$(uname -m).node"

if [ ! -e "$cached" ]; then
  if ! command -v c++ >/dev/null || ! has_headers; then
    is_debian_root || give_up 'it needs a C++ compiler and FAISS (Debian: apt-get install g++ libfaiss-dev libopenblas-dev; macOS: brew install faiss libomp)'
    say 'installing g++ and libfaiss-dev with apt-get, once ...'
    apt_install g++ libfaiss-dev libopenblas-dev || give_up 'apt-get install g++ libfaiss-dev libopenblas-dev failed'
  fi
  say "compiling faiss-node $version, once ..."
  work="$home/.runtime/faiss-build"
  rm -rf "$work"
  mkdir -p "$work"
  # FAISS 1.7.3 has the type inside Index; later versions have both.
  printf '#include <faiss/Index.h>\nnamespace faiss { using idx_t = Index::idx_t; }\n' >"$work/idx.h"
  run_step c++ -std=c++17 -O2 -DNDEBUG -fPIC -shared -fopenmp -DNAPI_VERSION=6 -include "$work/idx.h" \
    -I"$home/node_modules/node-addon-api" -I"$home/node_modules/node-api-headers/include" \
    -o "$work/faiss-node.node" "$module/src/faiss.cc" -lfaiss -lblas -llapack ||
    give_up 'its source did not compile; the messages above say why'
  mv "$work/faiss-node.node" "$cached"
  rm -rf "$work"
fi

# node_modules is replaced by every install, so the built file lives outside it.
mkdir -p "$module/build/Release"
ln -sf "$cached" "$target.new"
mv -f "$target.new" "$target"
rm -f "$missing"
