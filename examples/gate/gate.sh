#!/bin/sh
# A gate for any CI: ./gate.sh PATH...
# 0 passed, 100 failed, 101 could not judge, 75 a temporary failure, also at the third try.
# Needs SVC_API_KEY and SVC_BASE_URL; the policy is svc.checks.json, here or in a folder above.
set -eu

reports=${REPORTS:-reports}
for try in 1 2 3; do
  code=0
  svc check "$@" \
    --report json="$reports/report.json" \
    --report junit="$reports/junit.xml" \
    --report html="$reports/report.html" || code=$?
  # The cache has the annotations so far, so that the next try requests only the rest.
  [ "$code" -eq 75 ] || break
  [ "$try" -eq 3 ] || sleep "${PAUSE:-60}"
done
exit "$code"
