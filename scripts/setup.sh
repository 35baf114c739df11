#!/usr/bin/env bash
# Sets this checkout up on a bare machine; run it again at any time, what is there is kept.
#
#   scripts/setup.sh           bun, packages, git, jj; builds dist/av; puts av (and jj, where it had to be brought) in ~/.local/bin
#   scripts/setup.sh --tools   only bun, packages, git, jj: what building and testing need
#
# Needs npm (Node 18 or newer) and a network, the first time. Asks for no password: where a package of the system is
# missing and may not be installed, it says which one, and stops.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

BIN="$HOME/.local/bin"
BUN="$PWD/node_modules/.bin/bun"

main() {
  local only="${1:-}"
  case "$only" in '' | --tools) ;; *) stop "unknown argument $only; scripts/setup.sh takes --tools or nothing" ;; esac
  bring_packages
  bring_git
  "$BUN" scripts/jj.ts
  [ "$only" = --tools ] && return
  "$BUN" scripts/build.ts
  install_av
  check_path
}

# bun comes as a package of this project, so the first one to run is whichever npm can fetch.
bring_packages() {
  local version bun
  version="$(sed -n 's/^ *"bun": "\([0-9.]*\)".*/\1/p' package.json)"
  bun="$(command -v bun || true)"
  if [ "$(version_of "$BUN")" = "$version" ]; then
    "$BUN" ci --silent
  elif [ -n "$bun" ] && [ "$(version_of "$bun")" = "$version" ]; then
    say "fetching the packages"
    "$bun" ci --silent
  else
    command -v npm >/dev/null || stop "npm is missing. Install it ($(how_to_install node "nodejs npm")), then run this again."
    say "fetching bun $version and the packages"
    # The package's install script only puts the binary in place; where npm may run none, bun would be a stub.
    npm_config_ignore_scripts=false npm_config_update_notifier=false npx -y "bun@$version" ci --silent
  fi
  [ -n "$(version_of "$BUN")" ] || node node_modules/bun/install.js # the same for the bun among the packages
  [ "$(version_of "$BUN")" = "$version" ] || stop "node_modules holds no bun $version that runs here. Remove node_modules, then run this again."
  say "bun $version, packages as bun.lock has them"
}

bring_git() {
  if ! command -v git >/dev/null; then
    if command -v apt-get >/dev/null && as_root true 2>/dev/null; then
      say "installing git with apt"
      as_root apt-get update -qq
      as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends git >/dev/null
    elif command -v brew >/dev/null; then
      say "installing git with brew"
      brew install --quiet git
    else
      stop "git is missing. Install it ($(how_to_install git git)), then run this again."
    fi
  fi
  say "git $(git --version | awk '{print $3}') ($(command -v git))"
}

# A file of its own, not a link: it goes on working when this checkout is moved or gone, and finds jj beside itself.
install_av() {
  mkdir -p "$BIN"
  if [ ! dist/av -ef "$BIN/av" ]; then
    rm -f "$BIN/av.$$"
    ln dist/av "$BIN/av.$$" 2>/dev/null || cp dist/av "$BIN/av.$$"
    mv -f "$BIN/av.$$" "$BIN/av"
  fi
  say "$("$BIN/av" --version) ($BIN/av)"
}

check_path() {
  local found
  found="$(command -v av || true)"
  case ":$PATH:" in
    *":$BIN:"*) [ "$found" = "$BIN/av" ] || say "note: the PATH has another av first: $found" ;;
    *)
      say "$BIN is not on the PATH. Add this line to your shell's start-up file (~/.bashrc, ~/.zshrc):"
      say "  export PATH=\"\$HOME/.local/bin:\$PATH\""
      ;;
  esac
}

version_of() { "$1" --version 2>/dev/null || true; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

# how_to_install BREW-PACKAGES APT-PACKAGES
how_to_install() {
  if [ "$(uname)" = Darwin ]; then
    echo "brew install $1"
  elif command -v apt-get >/dev/null; then
    echo "apt-get install $2, as root"
  else
    echo "the packages $2 of your system"
  fi
}

say() { printf '[setup] %s\n' "$*"; }

stop() {
  printf '[setup] %s\n' "$*" >&2
  exit 1
}

main "$@"
