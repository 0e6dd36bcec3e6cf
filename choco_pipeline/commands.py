"""Command lines in pages, records and messages, as a user types them."""

from __future__ import annotations

import shlex

from choco_pipeline.shipped import IS_CLONE

#: The program: in a clone, the script that also sets it up; otherwise the installed program.
CHOCO = "./choco" if IS_CLONE else "choco"
#: The default configuration.
DEFAULT_CONFIG = "config/config.yaml"


def command(*words: object, config: str = DEFAULT_CONFIG) -> str:
    """Return a command line; `--config` is added unless it is the default.

    Examples
    --------
    >>> command("claims", "list", config="my sweep.yaml").removeprefix(CHOCO)
    " claims list --config 'my sweep.yaml'"
    """
    named = [] if config == DEFAULT_CONFIG else ["--config", config]
    return shlex.join([CHOCO, *map(str, words), *named])
