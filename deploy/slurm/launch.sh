#!/bin/sh
# Submits a whole run to Slurm and prints the numbers of its jobs:
#   launch.sh [--dry-run] workers N FOLDER WORKLOAD [-p NAME=VALUE]...    a coordinator and N workers
#   launch.sh [--dry-run] shards N FOLDER WORKLOAD [-p NAME=VALUE]...     N parts without a coordinator, then the import
# FOLDER is one that all nodes see. More words for sbatch, e.g. a partition or an account: SBATCH_* variables.
set -eu
run() {
    "$@"
}
usage() {
    sed -n '2,5s/^# \{0,1\}//p' "$0" >&2
    exit 2
}
if [ "${1:-}" = --dry-run ]; then
    shift
    run() {
        echo "$*" >&2
        echo 0
    }
fi
[ $# -ge 4 ] || usage
how=$1 number=$2 folder=$3
shift 3
case $number in
    '' | *[!0-9]* | 0) usage ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
case $folder in
    /*) ;;
    *) folder=$PWD/$folder ;;
esac
export FULLDECK_RUN="$*" FULLDECK_DATA_DIR="$folder/data"
last=$((number - 1))
case $how in
    workers)
        coordinator=$(run sbatch --parsable "$here/coordinator.sbatch")
        workers=$(run sbatch --parsable --dependency="after:$coordinator" --array="0-$last" "$here/workers.sbatch")
        echo "coordinator $coordinator"
        echo "workers $workers"
        ;;
    shards)
        export FULLDECK_OUT="$folder/bundles" FULLDECK_OF="$number"
        shards=$(run sbatch --parsable --array="0-$last" "$here/shards.sbatch")
        import=$(run sbatch --parsable --dependency="afterok:$shards" "$here/import.sbatch")
        echo "shards $shards"
        echo "import $import"
        ;;
    *) usage ;;
esac
