#!/bin/sh
# A test in a shell, with curl: svc mock --control -- sh examples/runners/mock.sh
set -eu

status() {
  curl --silent --output /dev/null --write-out '%{http_code}' --header "Authorization: Bearer $SVC_API_KEY" "$@"
}

control() {
  curl --silent --fail --output /dev/null --header "Authorization: Bearer $SVC_CONTROL_TOKEN" \
    --header 'Content-Type: application/json' --data "$2" "$SVC_CONTROL_URL/$1"
}

expect() {
  [ "$1" = "$2" ] || { echo "expected $2, got $1" >&2; exit 1; }
}

expect "$(status "$SVC_PUBLIC_BASE_URL/projects")" 200
control faults '{"fault":"projects.list: status; code=503; times=1"}'
expect "$(status "$SVC_PUBLIC_BASE_URL/projects")" 503
expect "$(status "$SVC_PUBLIC_BASE_URL/projects")" 200
echo passed
