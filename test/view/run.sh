#!/usr/bin/env bash
# test/view/run.sh AFFIX FOLDER [WASM]: drives the viewer's page in a browser; with WASM, the page that viewer/wasm/build makes.
# Prints ok and not ok lines, or SKIP with a reason.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
affix=$1 folder=$2
if [ $# -gt 2 ] && [ ! -f "$3" ]; then
    echo "SKIP: there is no $3 (make wasm makes it, with Emscripten)"
    exit 0
fi
if ! command -v node >/dev/null; then
    echo "SKIP: node is not there (tools/deps view installs it)"
    exit 0
fi
browser=$(command -v chromium || command -v chromium-browser || true)
if [ -z "$browser" ]; then
    echo "SKIP: chromium is not there (tools/deps test installs it)"
    exit 0
fi
mkdir -p "$folder"
if ! "$affix" run spinning-box --steps 1 --quiet --html "$folder/probe.html" >/dev/null 2>&1; then
    echo "SKIP: this build has no viewer"
    exit 0
fi
if ! "$here/install" "$folder"; then
    echo "SKIP: npm could not install playwright-core"
    exit 0
fi
if [ $# -gt 2 ]; then
    exec node "$here/wasm.mjs" "$affix" "$folder" "$browser" "$3"
fi
status=0
for script in page strangers; do
    node "$here/$script.mjs" "$affix" "$folder" "$browser" || status=1
done
exit $status
