#!/bin/bash
# A study as one SLURM job: sbatch deploy/slurm.sh estimators adhoc6_ap.csv -o results/adhoc6 --trials 1000
# Submitted again with the same words it goes on where it ended; so it may be longer than the job's time.
#SBATCH --job-name=truerank
#SBATCH --ntasks=1000
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=2G
#SBATCH --time=04:00:00
#SBATCH --output=truerank-%j.log

set -euo pipefail

scheduler_file=$PWD/.truerank-scheduler-$SLURM_JOB_ID.json
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED=False
export DASK_TEMPORARY_DIRECTORY=${TMPDIR:-/tmp}

dask scheduler --scheduler-file "$scheduler_file" --port 0 --no-dashboard 2>"truerank-$SLURM_JOB_ID-scheduler.log" &
scheduler=$!
srun --output="truerank-%j-workers.log" dask worker --scheduler-file "$scheduler_file" \
    --nthreads 1 --memory-limit 2GB --no-dashboard --no-nanny &
workers=$!
trap 'kill $scheduler $workers 2>/dev/null || true; rm -f "$scheduler_file"' EXIT

until [ -s "$scheduler_file" ]; do
    kill -0 "$scheduler" # the job ends with the scheduler
    sleep 0.5
done
address=$(python -c 'import json, sys; print(json.load(open(sys.argv[1]))["address"])' "$scheduler_file")
truerank experiment run "$@" --dask "$address"
