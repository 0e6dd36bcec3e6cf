"""Clusters on this machine start beside each other, whatever else listens here."""

import urllib.request

from choco_pipeline.cluster.local import local_cluster


def test_two_clusters_at_once_show_their_dashboards_on_ports_of_their_own(tmp_path):
    """Without Dask's warning of a port that is taken, too, which is an error in tests."""
    with (
        local_cluster(1, 1 << 30, tmp_path / "a") as one,
        local_cluster(1, 1 << 30, tmp_path / "b") as two,
    ):
        assert one.dashboard != two.dashboard
        for cluster in (one, two):
            assert cluster.dashboard.startswith("http://127.0.0.1:")
            assert cluster.threads == 1
            with urllib.request.urlopen(cluster.dashboard) as page:
                assert page.status == 200
