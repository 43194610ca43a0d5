#!/usr/bin/env bash
# test/view/run.sh AFFIX FOLDER: drives the viewer's page in a browser. Prints ok and not ok lines, or SKIP with a reason.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
affix=$1 folder=$2
if ! command -v node >/dev/null; then
    echo "SKIP: node is not there (tools/deps view installs it)"
    exit 0
fi
browser=$(command -v chromium || command -v chromium-browser || true)
if [ -z "$browser" ]; then
    echo "SKIP: chromium is not there (tools/deps test installs it)"
    exit 0
fi
if ! "$affix" run spinning-box --steps 1 --quiet --html "$(mktemp -u).html" >/dev/null 2>&1; then
    echo "SKIP: this build has no viewer"
    exit 0
fi
if ! "$here/install" "$folder"; then
    echo "SKIP: npm could not install playwright-core"
    exit 0
fi
exec node "$here/page.mjs" "$affix" "$folder" "$browser"
