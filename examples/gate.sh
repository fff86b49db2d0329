#!/bin/sh
# A gate for CI: keep the transcripts of this run, and fail when one of them is poor or worse.
# 0 passed, 100 failed, 101 could not judge, 75 try again.
set -eu

svc upload "$1" --metadata "commit=${GIT_COMMIT:-unknown}" --quiet > uploaded.tsv
svc check "$1" --annotator structural --fail-on poor
