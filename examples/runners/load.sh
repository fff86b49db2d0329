#!/bin/sh
# Load with wrk: svc mock -- sh examples/runners/load.sh [SECONDS]
set -eu
wrk --threads 1 --connections 8 --duration "${1:-5}s" --latency \
  --header "Authorization: Bearer $SVC_API_KEY" "$SVC_PUBLIC_BASE_URL/projects"
