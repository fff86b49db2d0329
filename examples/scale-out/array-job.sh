#!/bin/sh
#SBATCH --job-name=svc-upload
#SBATCH --array=0-15
# Uploads a path in shards: `sbatch array-job.sh PATH` as an array job of Slurm, each task on a machine of its own;
# `SHARDS=4 ./array-job.sh PATH` as so many processes on this machine.
# The ledger is in ./ledger, which all machines must share. Needs SVC_API_KEY, SVC_BASE_URL, SVC_PUBLIC_BASE_URL and
# SVC_PROJECT. Run it again to go on.
set -u

path=${1:?usage: array-job.sh PATH}

# Uploads the shard $1 of $2, and again while the trouble is temporary; exits as the last try did.
upload() {
  try=1
  while
    svc upload "$path" --shard "$1/$2" --ledger ledger
    code=$?
    [ "$code" -eq 75 ] && [ "$try" -lt "${TRIES:-10}" ]
  do
    try=$((try + 1))
    sleep "${PAUSE:-60}"
  done
  return "$code"
}

if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
  upload "$((SLURM_ARRAY_TASK_ID - SLURM_ARRAY_TASK_MIN + 1))" "$SLURM_ARRAY_TASK_COUNT"
  exit
fi

shards=${SHARDS:-4}
pids=
shard=1
while [ "$shard" -le "$shards" ]; do
  upload "$shard" "$shards" &
  pids="$pids $!"
  shard=$((shard + 1))
done
failed=0
for pid in $pids; do
  wait "$pid" || failed=$?
done
exit "$failed"
