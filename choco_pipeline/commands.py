"""Command lines for pages, records and messages, as a person types them."""

from __future__ import annotations

import shlex

from choco_pipeline.shipped import IS_CLONE

#: The program: in a clone the script that sets it up, elsewhere the installed one.
CHOCO = "./choco" if IS_CLONE else "choco"
#: The default configuration.
DEFAULT_CONFIG = "config/config.yaml"


def command(*words: object, config: str = DEFAULT_CONFIG) -> str:
    """Return a command line, with the configuration unless it is the default.

    Examples
    --------
    >>> command("claims", "list", config="my sweep.yaml").removeprefix(CHOCO)
    " claims list --config 'my sweep.yaml'"
    """
    named = [] if config == DEFAULT_CONFIG else ["--config", config]
    return shlex.join([CHOCO, *map(str, words), *named])
