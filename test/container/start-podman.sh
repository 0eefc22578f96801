# Sourced by start-engine.sh with FUNCTEZ_TEST_ENGINE=podman: starts Podman's service on a separate socket, and sets
# DOCKER_HOST to it.
need_podman=()
command -v podman > /dev/null || need_podman+=(podman)
[ -e /usr/libexec/podman/catatonit ] || need_podman+=(catatonit)
command -v docker > /dev/null || need_podman+=(docker.io) # the suites use its command line
if [ ${#need_podman[@]} -gt 0 ]; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${need_podman[@]}" > /dev/null
fi
podman_folder=/tmp/functez-podman
mkdir -p "$podman_folder"
export DOCKER_HOST=unix://$podman_folder/podman.sock
if ! docker version > /dev/null 2>&1; then
  # Podman requests more open files and processes than a nested virtual machine may have.
  printf '[containers]\ndefault_ulimits = ["nofile=2048:2048", "nproc=2048:2048"]\n' > "$podman_folder/containers.conf"
  CONTAINERS_CONF=$podman_folder/containers.conf setsid podman system service --time=0 "$DOCKER_HOST" \
    > "$podman_folder/service.log" 2>&1 < /dev/null &
  await_engine "$podman_folder/service.log" "Podman's service does not start:"
fi
