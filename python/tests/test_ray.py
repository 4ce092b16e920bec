"""Ray Data, for real."""

from __future__ import annotations

import pytest
from archives import page

import webstrata

ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")

# Ray's own.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def cluster():
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        _node_ip_address="127.0.0.1",
        object_store_memory=128 << 20,
        configure_logging=False,
        log_to_driver=False,
    )
    yield
    ray.shutdown()


def test_pages_of_a_dataset(cluster):
    from webstrata import ray as webstrata_ray

    pages = [page(number) for number in range(20)]
    dataset = ray.data.from_items(
        [{"number": number, "html": one} for number, one in enumerate(pages)]
    )
    texts = webstrata_ray.extract(dataset, batch_size=4, formats=("metadata",)).take_all()
    found = {row["number"]: row["text"] for row in texts}
    assert found == {number: one.text for number, one in enumerate(webstrata.extract_many(pages))}
