"""The claims files of the papers, read once for all tests of a process."""

from contextlib import chdir
from functools import cache
from pathlib import Path

from choco_pipeline.claims.language.catalogue import Catalogue, load_catalogue

ROOT = Path(__file__).parents[1]
FOLDER = Path("config/claims")


@cache
def catalogue_of(*papers: str) -> Catalogue:
    """Return the claims of some papers, by their keys, or of all. Do not change it."""
    with chdir(ROOT):  # errors name the files as one sees them from there
        names = [f"{key}.yaml" for key in papers]
        return load_catalogue([FOLDER / n for n in names] or sorted(FOLDER.glob("*.yaml")))
