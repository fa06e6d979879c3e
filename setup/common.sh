# Words shared by the launcher and the set-up steps. POSIX sh; sourced, never run.

say() {
  printf 'threadwise: %s\n' "$*" >&2
}

# Runs a long step so that a signal reaches it: a shell that waits for a foreground child would only act afterwards.
# What the step prints goes to stderr, for stdout belongs to the command that follows.
run_step() {
  "$@" </dev/null >&2 &
  step_pid=$!
  trap 'kill "$step_pid" 2>/dev/null; wait "$step_pid" 2>/dev/null; exit 130' INT
  trap 'kill "$step_pid" 2>/dev/null; wait "$step_pid" 2>/dev/null; exit 143' TERM HUP
  step_status=0
  wait "$step_pid" || step_status=$?
  trap - INT TERM HUP
  return "$step_status"
}

is_debian_root() {
  [ "$(id -u)" = 0 ] && [ -e /etc/debian_version ] && command -v apt-get >/dev/null
}

# Debian packages, with the lists fetched only where they are missing.
apt_install() {
  run_step env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::http::Timeout=30 install -y --no-install-recommends "$@" && return
  run_step apt-get -qq -o Acquire::http::Timeout=30 update &&
    run_step env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::http::Timeout=30 install -y --no-install-recommends "$@"
}
