#!/usr/bin/env bash
# Installs a real VS Code workbench (code-server) into tools/editor/node_modules and builds the three native
# addons it needs. Returns at once if already done. Needs python3, make and g++.
set -euo pipefail
cd "$(dirname "$0")"
here="$PWD"
# The number counts changes of this script.
stamp="node_modules/.ready-2-$(node -p 'require("./package.json").devDependencies["code-server"] + "-" + process.versions.modules')"
[ -f "$stamp" ] && exit 0
npm ci --no-audit --no-fund
cd node_modules/code-server/lib/vscode
# Not `npm ci`: the lock file that code-server ships is out of step with its manifest.
npm install --ignore-scripts --omit=dev --no-audit --no-fund
# Where node came with its headers, none are downloaded.
headers="$(node -p 'require("path").resolve(process.execPath, "../..")')"
[ ! -f "$headers/include/node/node.h" ] || export npm_config_nodedir="$headers"
JOBS=max npm_config_yes=true npm rebuild --ignore-scripts=false --foreground-scripts node-pty @vscode/spdlog native-watchdog
node -e 'for (const m of ["node-pty", "@vscode/spdlog", "native-watchdog"]) require(m)'
# The editor's own TypeScript support: without its server the editor waits for it before it shows any lens.
cd extensions
npm install --ignore-scripts --omit=dev --no-audit --no-fund
cd "$here"
touch "$stamp"
