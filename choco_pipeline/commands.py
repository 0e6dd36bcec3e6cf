"""Commands as a person types them: what pages, records and messages print runs as it stands."""

from __future__ import annotations

import shlex

from choco_pipeline.shipped import IS_CLONE

#: What starts a command: in a clone the script that sets it up, elsewhere the installed program.
CHOCO = "./choco" if IS_CLONE else "choco"
#: The configuration that commands take where none is named.
DEFAULT_CONFIG = "config/config.yaml"


def command(*words: object, config: str = DEFAULT_CONFIG) -> str:
    """Return a command line, which names the configuration unless the command takes that by itself.

    Examples
    --------
    >>> command("claims", "list", config="my sweep.yaml").removeprefix(CHOCO)
    " claims list --config 'my sweep.yaml'"
    """
    named = [] if config == DEFAULT_CONFIG else ["--config", config]
    return shlex.join([CHOCO, *map(str, words), *named])
