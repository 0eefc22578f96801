# Sourced by .ci/run: starts a container engine for the suites in this folder, Docker's or, with
# FUNCTEZ_TEST_ENGINE=podman, Podman's, with a base image made from this machine's Node (no registry needed). Idempotent.

# Waits for a newly started engine: $1 is its log, $2 the message to print with the end of the log when it does not answer.
await_engine() {
  for _ in $(seq 150); do
    docker version > /dev/null 2>&1 && return
    sleep 0.2
  done
  echo "$2" >&2
  tail -20 "$1" >&2
}

if [ "${FUNCTEZ_TEST_ENGINE:-docker}" = podman ]; then
  . test/container/start-podman.sh
else
  if ! command -v dockerd > /dev/null; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends docker.io > /dev/null
  fi
  if ! docker version > /dev/null 2>&1; then
    # The tests may stop and restart this engine, and append to its log.
    export FUNCTEZ_TEST_ENGINE_LOG=/tmp/functez-dockerd.log
    rm -f /var/run/docker.pid /var/run/docker/containerd/containerd.pid
    setsid dockerd --host unix:///var/run/docker.sock > "$FUNCTEZ_TEST_ENGINE_LOG" 2>&1 < /dev/null &
    await_engine "$FUNCTEZ_TEST_ENGINE_LOG" "the container engine does not start:"
  elif [ -f /tmp/functez-dockerd.log ]; then
    export FUNCTEZ_TEST_ENGINE_LOG=/tmp/functez-dockerd.log
  fi
fi
if docker version > /dev/null 2>&1 && ! docker image inspect node:22-bookworm-slim > /dev/null 2>&1; then
  base=$(mktemp -d)
  node_binary=$(readlink -f "$(command -v node)")
  mkdir -p "$base/usr/local/bin" "$base/etc" "$base/tmp"
  chmod 1777 "$base/tmp"
  echo "root:x:0:0:root:/:/nonexistent" > "$base/etc/passwd"
  cp "$node_binary" "$base/usr/local/bin/node"
  ldd "$node_binary" | grep -o '/[^ ]*' | xargs -I{} cp --parents -L {} "$base"
  tar -C "$base" -c . | docker import - node:22-bookworm-slim > /dev/null
  rm -rf "$base"
fi
