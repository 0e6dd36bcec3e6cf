"""Owner of a cluster: ``python -m tests.cluster.owner SCHEDULER_FILE``."""

import sys
import time
from pathlib import Path

from choco_pipeline.cluster.clusters import local_cluster, write_scheduler_file


def main(path: Path) -> None:
    with local_cluster(1, 1 << 30, path.parent / "workers") as cluster:
        write_scheduler_file(cluster, path)
        time.sleep(120)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
