#!/bin/sh
# A gate for CI: ./gate.sh PATH
# 0 passed, 100 a transcript is poor or worse, 101 could not judge, 75 run it again; else the upload failed.
# Needs SVC_API_KEY, SVC_BASE_URL, SVC_PUBLIC_BASE_URL and SVC_PROJECT.
set -eu

path=${1:?usage: gate.sh PATH}
svc check "$path" --annotator structural --fail-on poor
svc upload "$path" --metadata "commit=${GIT_COMMIT:-unknown}"
