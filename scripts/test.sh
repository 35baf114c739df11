#!/usr/bin/env bash
# Runs the whole suite on a machine where nothing is prepared; `scripts/test.sh PATH…` runs only those test files.
# What it needs beyond scripts/setup.sh --tools is a PostgreSQL server's programs (Debian: postgresql and locales);
# without them the tests on a server are skipped, and under CI=true that is a failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bash scripts/setup.sh --tools
exec node_modules/.bin/bun scripts/test.ts "$@"
