"""``python -m choco_pipeline``: the command line."""

from choco_pipeline.cli.main import main

if __name__ == "__main__":
    main()
