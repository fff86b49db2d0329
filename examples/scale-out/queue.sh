#!/bin/sh
# Uploads the parts in ./queue, from any number of machines at once:
#
#   ./queue.sh [FLAG...]
#
# A part is a file or a folder of transcripts. Its ledger is a folder of its own in ./ledgers, so a part that two machines
# take at the same time is uploaded by one of them: for the other one the ledger is locked (75). The lease of a machine that
# is lost ends after a minute; another machine then goes on with its part. An uploaded part moves to ./done, and one that
# needs a person to ./failed.
#
# The machines must share the working directory, on a local disk or NFS. Needs SVC_API_KEY, SVC_PUBLIC_BASE_URL and
# SVC_PROJECT.
set -u

# An unquoted variable is split at the ends of its lines, and a path in it is no pattern.
IFS='
'
set -f

mkdir -p queue ledgers done failed

# Moves a part. Another machine may have moved it before.
move() {
  mv "queue/$1" "$2/" 2>/dev/null || :
}

failed=0
try=1
while :; do
  left=0
  # Each machine in another order, so that few wait for the same part.
  seed=$(od -An -N4 -tu4 /dev/urandom)
  parts=$(find queue -mindepth 1 -maxdepth 1 | awk -v seed="$seed" 'BEGIN { srand(seed) } { print rand() "\t" $0 }')
  for part in $(printf '%s\n' "$parts" | sort -n | cut -f 2-); do
    part=${part#queue/}
    [ -e "queue/$part" ] || continue
    svc upload "queue/$part" --ledger "ledgers/$part" --continue-on-invalid "$@"
    code=$?
    # Another machine has uploaded and moved it meanwhile.
    [ -e "queue/$part" ] || continue
    case $code in
      0) move "$part" done ;;
      # Temporary, taken by another machine, or of unknown result: the next run searches for it.
      10 | 75) left=1 ;;
      6 | 8) move "$part" failed && failed=$code ;;
      # Wrong flags, key or project, or a signal: every part would fail the same way.
      *) exit "$code" ;;
    esac
  done
  [ "$left" -eq 1 ] && [ "$try" -lt "${TRIES:-10}" ] || break
  try=$((try + 1))
  sleep "${PAUSE:-60}"
done
[ "$left" -eq 0 ] || exit 75
exit "$failed"
