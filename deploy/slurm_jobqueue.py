"""A study on workers that SLURM starts one job after the other: python deploy/slurm_jobqueue.py

It runs on a login node, or in a small job of its own; jobs of 16 workers come as nodes become free, and
may end at any time. Needs ``pip install dask-jobqueue``. Put your partition and account in.
"""

from dask_jobqueue import SLURMCluster

from truerank import experiments


def main() -> None:
    """Start the cluster, run the study, end the cluster."""
    with SLURMCluster(
        queue="normal",  # the partition
        account=None,
        cores=16,  # of one job …
        processes=16,  # … each core a worker of its own
        memory="32GiB",  # of all 16
        walltime="04:00:00",
        # They leave by themselves before they are ended, and hand over what they have.
        worker_extra_args=["--lifetime", "230m", "--lifetime-stagger", "5m"],
        job_script_prologue=["export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1"],
        scheduler_options={"dashboard": False},
    ) as cluster:
        cluster.scale(cores=1000)  # or cluster.adapt(minimum_cores=16, maximum_cores=1000)
        results = experiments.run(
            "estimators", "web2010-ap", "results/estimators", dask=cluster.scheduler_address, trials=1000
        )
        print(f"{results.done:,} of {results.total:,} tasks")
        print("truerank experiment show results/estimators --write makes the tables")


if __name__ == "__main__":
    main()
