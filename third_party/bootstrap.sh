# shellcheck shell=bash
# What app/run, tests/run and .ci/run share: installing missing packages and building a preset.
# Sourced by bash with LACUNA_ROOT set to the project root. Everything it says goes to stderr.
#
#   lacuna_install SCOPE...        apt packages of these scopes of third_party/dependencies.txt
#   lacuna_build PRESET [ARG...]   configures (with ARGs) and builds build/PRESET (LACUNA_TARGET: of it)
#                                  (preset tests: in build/release)
#   lacuna_lock                    held until the script ends: one installation or build at a time
#
# Environment: LACUNA_INSTALL=OFF never calls apt; LACUNA_FETCH_DEPS=ON builds Dear ImGui and simdjson
# from upstream releases; LACUNA_JOBS=N limits parallel compilations; CXX chooses the compiler;
# LACUNA_WERROR=ON makes warnings errors.

lacuna_say() { printf 'lacuna: %s\n' "$*" >&2; }
lacuna_die() { lacuna_say "$*"; exit 1; }

lacuna_lock() {
  mkdir -p "$LACUNA_ROOT/build" || lacuna_die "cannot write to $LACUNA_ROOT/build"
  exec 9>"$LACUNA_ROOT/build/.lock"
  if ! flock -n 9; then
    lacuna_say "waiting for another build in $LACUNA_ROOT/build"
    flock 9
  fi
}

# Column (counted from 0) of dependencies.txt for this distribution.
lacuna_distribution_column() {
  local ID='' VERSION_ID='' ID_LIKE='' UBUNTU_CODENAME=''
  # shellcheck disable=SC1091
  [ -r /etc/os-release ] && . /etc/os-release
  case "$ID:$VERSION_ID:$UBUNTU_CODENAME" in
    debian:12*) echo 3 ;;
    *:jammy) echo 5 ;;
    ubuntu:* | *:noble) echo 6 ;;
    *) case "$ID $ID_LIKE" in
         *ubuntu*) echo 6 ;;
         *) echo 4 ;;
       esac ;;
  esac
}

# lacuna_packages SCOPE...: package names, one a line, or "fetch:NAME" for a dependency that this
# distribution does not have in a version new enough.
lacuna_packages() {
  local column want=" $* " row name scope i value package
  column=$(lacuna_distribution_column)
  while IFS= read -r row; do
    case "$row" in '' | '#'*) continue ;; esac
    local -a cells=()
    IFS='|' read -r -a cells <<<"$row"
    name=${cells[0]// /} scope=${cells[1]// /}
    case "$want" in *" $scope "*) ;; *) continue ;; esac
    for ((i = column; i >= 3; i--)); do
      read -r value <<<"${cells[i]}"
      [ "$value" != "=" ] && break
    done
    if [ "$value" = "-" ]; then
      echo "fetch:$name"
    else
      for package in $value; do echo "$package"; done
    fi
  done <"$LACUNA_ROOT/third_party/dependencies.txt"
}

lacuna_install() {
  local -a wanted=() missing=()
  local package
  while read -r package; do
    case "$package" in
      fetch:*) LACUNA_FETCH_DEPS=${LACUNA_FETCH_DEPS:-ON} ;;
      *) wanted+=("$package") ;;
    esac
  done < <(lacuna_packages "$@")
  [ "${LACUNA_FETCH_DEPS:-OFF}" = OFF ] || wanted+=(ca-certificates)
  [ "${LACUNA_INSTALL:-ON}" != OFF ] || return 0
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    lacuna_say "no apt on this system: install what third_party/dependencies.txt lists by hand"
    return 0
  fi
  local installed
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null)
  for package in "${wanted[@]}"; do
    case $'\n'"$installed"$'\n' in
      *$'\n'"$package installed"$'\n'*) ;;
      *)
        # Its package starts a server that listens on the network, but where a policy forbids that (containers).
        if [ "$package" = openssh-server ] && [ ! -x /usr/sbin/policy-rc.d ]; then
          lacuna_say "openssh-server is left to you, since it starts a server: tests with a real ssh are skipped without"
        else
          missing+=("$package")
        fi
        ;;
    esac
  done
  [ ${#missing[@]} -gt 0 ] || return 0

  local -a as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || lacuna_die "not root and no sudo; as root, run once:
  apt-get install --no-install-recommends ${missing[*]}"
    as_root=(sudo)
  fi
  as_root+=(env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1)
  local -a apt=(apt-get -q -o DPkg::Lock::Timeout=300)
  lacuna_say "installing ${missing[*]}"
  "${as_root[@]}" "${apt[@]}" update >&2 ||
    lacuna_say "apt-get update reported problems; trying to install all the same"
  "${as_root[@]}" "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >&2 </dev/null ||
    lacuna_die "could not install: ${missing[*]}"
}

lacuna_version_at_least() {
  [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

# A CMake that understands the presets: the system's, or one from pip in build/tools.
lacuna_find_cmake() {
  local tools="$LACUNA_ROOT/build/tools" version
  version=$(cmake --version 2>/dev/null | sed -n '1s/^cmake version //p')
  if [ -n "$version" ] && lacuna_version_at_least "$version" 3.25; then
    LACUNA_CMAKE=cmake
    return
  fi
  if [ ! -x "$tools/bin/cmake" ]; then
    lacuna_say "CMake ${version:-(none)} is too old; installing a newer one in build/tools"
    { python3 -m venv "$tools" && "$tools/bin/pip" install -q 'cmake>=3.25,<4'; } >&2 ||
      lacuna_die "CMake 3.25 or newer is needed and could not be installed with pip"
  fi
  LACUNA_CMAKE="$tools/bin/cmake"
}

# Quiet when there is nothing to do: configuring speaks only the first time or when it fails, and
# ninja only when it compiles something.
lacuna_build() {
  local preset=$1 first=yes log
  local directory="$LACUNA_ROOT/build/${preset/#tests/release}"  # tests lie beside what they test
  shift
  lacuna_find_cmake
  # Ubuntu 22.04: the default g++ is 11.
  if [ -z "${CXX:-}" ] && command -v g++-12 >/dev/null &&
    ! lacuna_version_at_least "$(g++ -dumpversion 2>/dev/null || echo 0)" 12; then
    export CXX=g++-12
  fi
  [ -e "$directory/build.ninja" ] && first=no
  set -- --preset "$preset" -DLACUNA_FETCH_DEPS="${LACUNA_FETCH_DEPS:-OFF}" \
    ${LACUNA_WERROR:+-DLACUNA_WERROR="$LACUNA_WERROR"} "$@"
  if [ $first = yes ]; then
    lacuna_say "building in $directory (the first time takes a few minutes)"
    (cd "$LACUNA_ROOT" && "$LACUNA_CMAKE" "$@" >&2) || lacuna_die "configuring $directory failed"
  elif ! log=$(cd "$LACUNA_ROOT" && "$LACUNA_CMAKE" "$@" 2>&1); then
    printf '%s\n' "$log" >&2
    lacuna_die "configuring $directory failed"
  fi
  "$LACUNA_CMAKE" --build "$directory" ${LACUNA_TARGET:+--target "$LACUNA_TARGET"} \
    ${LACUNA_JOBS:+-j "$LACUNA_JOBS"} </dev/null 2>&1 |
    sed -u '/Re-checking globbed directories/d; /no work to do/d' >&2
  [ "${PIPESTATUS[0]}" -eq 0 ] || lacuna_die "building $directory failed"
}
