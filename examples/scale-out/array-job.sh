#!/bin/sh
#SBATCH --job-name=svc
# Runs svc in shards that share one folder, as an array job of Slurm or as processes on one machine:
#
#   sbatch --array=0-15 array-job.sh upload PATH 16 [FLAG...]    the task n of the array runs the shard n+1 of 16
#   sbatch --array=4,9 array-job.sh upload PATH 16 [FLAG...]     runs two of the shards again
#   ./array-job.sh upload PATH 4 [FLAG...]                       runs four shards as processes on this machine
#
# upload PATH    Uploads the transcripts of a path, with the ledger in ./ledger.
# annotate LIST  Annotates the files of a list, which has one path in each line. The annotations of a file appear in
#                ./annotations when all of it is annotated. The file is not annotated again, unless it is changed later.
#                An interrupted file is: keep the files small, or use check, which caches each annotation.
# gate PATH      Checks the transcripts of a path, with a report of each shard in ./reports and annotations in ./cache. The
#                verdict is that of `svc report merge 'reports/*-of-16.json' --expect 16` when all shards have ended; as
#                processes on one machine, the script ends with it.
# check LIST     Annotates the files of a list into ./cache. Then `svc check PATH --cache cache` judges all files together,
#                and requests only the annotations that are not in the cache.
#
# Run it again to continue, with the same number of shards. The machines must share the working directory. Needs
# SVC_API_KEY and SVC_BASE_URL; upload also needs SVC_PUBLIC_BASE_URL and SVC_PROJECT.
set -u

usage='usage: array-job.sh upload|gate|annotate|check PATH|LIST SHARDS [FLAG...]'
command=${1:?$usage}
input=${2:?$usage}
shards=${3:?$usage}
shift 3
case $command in
  upload | gate | annotate | check) ;;
  *)
    echo "array-job.sh: unknown command: $command; $usage" >&2
    exit 2
    ;;
esac
if ! [ "$shards" -ge 1 ] 2>/dev/null; then
  echo "array-job.sh: SHARDS is not a number of shards: $shards" >&2
  exit 2
fi

# An unquoted variable is split at the ends of its lines, and a path in it is no pattern.
IFS='
'
set -f

upload() {
  svc upload "$input" --shard "$shard/$shards" --ledger ledger "$@"
}

# An earlier report is not that of a run that is killed. A shard fails by its own findings (100).
gate() {
  rm -f "reports/$shard-of-$shards.json"
  svc check "$input" --shard "$shard/$shards" --cache cache --cache-size 1000GB \
    --report "json=reports/$shard-of-$shards.json" "$@"
}

# Sets `files` to the lines of the list that belong to this shard.
read_list() {
  files=$(awk -v shard="$shard" -v shards="$shards" 'NF && ++n % shards == shard % shards' "$input") || return 3
}

# The files of a shard are the arguments of one command.
check() {
  read_list || return
  # Without a file, svc would check the paths of the policy.
  [ -n "$files" ] || return 0
  # shellcheck disable=SC2086
  svc check --cache cache --cache-size 1000GB "$@" -- $files
}

# Annotates one file after the other, because svc annotate has no cache.
annotate() {
  read_list || return
  # The ending of a file that no other process writes, on any machine.
  own=part-${SLURM_JOB_ID:-$(uname -n)}-$$-$shard
  mkdir -p annotations && printf '%s\n' "$@" >"annotations/$own" || return 3
  # The first task names the flags, also if several begin at once.
  ln "annotations/$own" annotations/flags 2>/dev/null
  cmp -s "annotations/$own" annotations/flags
  differs=$?
  rm "annotations/$own"
  if [ "$differs" -ne 0 ]; then
    echo "array-job.sh: ./annotations is of other flags: use those in annotations/flags, or move the folder away" >&2
    return 2
  fi
  failed=0
  for file in $files; do
    [ -z "$stopped" ] || return 143
    result=annotations/$(printf '%s' "$file" | sed 's/%/%25/g; s,/,%2F,g').jsonl || return
    # shellcheck disable=SC3013 # -nt is in POSIX since 2024
    if [ -e "$result" ] && ! [ "$file" -nt "$result" ]; then continue; fi
    part=$result.$own
    svc annotate --json "$@" -- "$file" >"$part"
    code=$?
    case $code in
      0) mv "$part" "$result" && rm -f "$result.failed" || return 3 ;;
      # Another file may do better. The annotations that are there have been paid for.
      3 | 6 | 8) mv "$part" "$result.failed" && failed=$code ;;
      *)
        rm -f "$part"
        return "$code"
        ;;
    esac
  done
  return "$failed"
}

# Runs the shard $1; the other arguments are flags. Repeats it while the trouble is temporary (75) or the result of a
# write is unknown (10), because the next run searches for it. Returns the exit code of the last try.
run() {
  shard=$1
  shift
  # Slurm sends SIGTERM to all processes of a task, and kills the others when the script has ended: wait for svc.
  stopped=
  trap 'stopped=1' TERM
  try=1
  while
    case $command in
      upload) upload "$@" ;;
      gate) gate "$@" ;;
      annotate) annotate "$@" ;;
      check) check "$@" ;;
    esac
    code=$?
    { [ "$code" -eq 75 ] || [ "$code" -eq 10 ]; } && [ "$try" -lt "${TRIES:-10}" ]
  do
    try=$((try + 1))
    sleep "${PAUSE:-60}"
    [ -z "$stopped" ] || break
  done
  return "$code"
}

if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
  if [ "$SLURM_ARRAY_TASK_ID" -ge "$shards" ]; then
    echo "array-job.sh: task $SLURM_ARRAY_TASK_ID has no shard: $shards shards are the tasks 0 to $((shards - 1))" >&2
    exit 2
  fi
  run "$((SLURM_ARRAY_TASK_ID + 1))" "$@"
  exit
fi

pids=
shard=1
while [ "$shard" -le "$shards" ]; do
  run "$shard" "$@" &
  # One in each line.
  pids="$pids$IFS$!"
  shard=$((shard + 1))
done
failed=0
for pid in $pids; do
  wait "$pid" || failed=$?
done
# Of shards that failed, the merge says it, and of those without a report, too.
if [ "$command" = gate ]; then exec svc report merge "reports/*-of-$shards.json" --expect "$shards"; fi
exit "$failed"
