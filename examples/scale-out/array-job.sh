#!/bin/sh
#SBATCH --job-name=svc-upload
#SBATCH --array=0-15
# Uploads a path in shards: `sbatch array-job.sh PATH 16` as an array job of Slurm, each task on a machine of its own;
# `./array-job.sh PATH 4` as so many processes on this machine.
# The task n of an array uploads the shard n+1. The array is 0 to SHARDS-1; a later job may run some of its tasks again,
# as in `sbatch --array=4,9 array-job.sh PATH 16`.
# The ledger is in ./ledger, which all machines must share. Needs SVC_API_KEY, SVC_BASE_URL, SVC_PUBLIC_BASE_URL and
# SVC_PROJECT. Run it again to continue. Do not change the number of shards between runs.
set -u

usage='usage: array-job.sh PATH SHARDS'
path=${1:?$usage}
shards=${2:?$usage}
if ! [ "$shards" -ge 1 ] 2>/dev/null; then
  echo "array-job.sh: SHARDS is not a number of shards: $shards" >&2
  exit 2
fi

# Uploads the shard $1. Repeats it while the trouble is temporary (75) or the result of a write is unknown (10), because
# the next run searches for it. Exits as the last try did.
upload() {
  try=1
  while
    svc upload "$path" --shard "$1/$shards" --ledger ledger
    code=$?
    { [ "$code" -eq 75 ] || [ "$code" -eq 10 ]; } && [ "$try" -lt "${TRIES:-10}" ]
  do
    try=$((try + 1))
    sleep "${PAUSE:-60}"
  done
  return "$code"
}

if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
  if [ "$SLURM_ARRAY_TASK_ID" -ge "$shards" ]; then
    echo "array-job.sh: task $SLURM_ARRAY_TASK_ID has no shard: $shards shards are the tasks 0 to $((shards - 1))" >&2
    exit 2
  fi
  upload "$((SLURM_ARRAY_TASK_ID + 1))"
  exit
fi

pids=
shard=1
while [ "$shard" -le "$shards" ]; do
  upload "$shard" &
  pids="$pids $!"
  shard=$((shard + 1))
done
failed=0
for pid in $pids; do
  wait "$pid" || failed=$?
done
exit "$failed"
