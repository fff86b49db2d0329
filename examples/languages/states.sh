#!/bin/sh
# Force each state, and assert on what was sent: svc mock --control -- sh examples/languages/states.sh
set -eu
send() { curl -s -H "Authorization: Bearer $SVC_API_KEY" -H 'Content-Type: application/json' "$@"; }
control() { curl -s -f -H "Authorization: Bearer $SVC_CONTROL_TOKEN" -H 'Content-Type: application/json' "$@"; }
status() { send -o /dev/null -w '%{http_code}' "$@"; }

control -X PUT "$SVC_CONTROL_URL/world" -d '{
  "faults": ["projects.list: limited; ms=60000", "health: status; code=503", "projects.create: lost"],
  "annotators": [{ "id": "structural", "outcome": "poor" }] }'
[ "$(status "$SVC_PUBLIC_BASE_URL/projects")" = 429 ]
control -o /dev/null "$SVC_CONTROL_URL/clock" -d '{ "advanceMs": 60001 }'
[ "$(status "$SVC_PUBLIC_BASE_URL/projects")" = 200 ]
[ "$(status "$SVC_BASE_URL/health")" = 503 ]
[ "$(status "$SVC_PUBLIC_BASE_URL/projects" -d '{ "name": "Lost" }')" = 000 ]
send "$SVC_BASE_URL/v1/annotations" -d '{ "annotator": "structural", "transcript": [] }' | grep -q '"outcome":"poor"'
control "$SVC_CONTROL_URL/requests?operation=projects.create" | grep -q '"body":{"name":"Lost"}'
echo passed
