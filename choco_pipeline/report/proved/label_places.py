"""Places for labels beside curves, such that none lies on another, or on a circle, and few curves run through them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

#: Where along its curve a label may be, the best first.
ALONG = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82)
GAP = 3.0

Key = TypeVar("Key", bound=Hashable)
Point = tuple[float, float]


@dataclass(frozen=True)
class Rectangle:
    """A rectangle: its centre and its size."""

    x: float
    y: float
    width: float
    height: float

    @property
    def corners(self) -> tuple[Point, Point]:
        """Top left and bottom right."""
        a, b = self.width / 2, self.height / 2
        return (self.x - a, self.y - b), (self.x + a, self.y + b)

    def moved(self, right: float, down: float) -> Rectangle:
        """Return the box elsewhere."""
        return Rectangle(self.x + right, self.y + down, self.width, self.height)

    def overlaps(self, other: Rectangle) -> bool:
        """Return whether the boxes have more than their rims in common."""
        return (
            2 * abs(self.x - other.x) < self.width + other.width
            and 2 * abs(self.y - other.y) < self.height + other.height
        )

    def meets(self, centre: Point, radius: float) -> bool:
        """Return whether a disc has more than a point in common with the box."""
        across = max(abs(self.x - centre[0]) - self.width / 2, 0)
        down = max(abs(self.y - centre[1]) - self.height / 2, 0)
        return hypot(across, down) < radius


def place_labels(
    sizes: Mapping[Key, Point],
    paths: Mapping[Key, NDArray[np.float64]],
    centres: Sequence[Point],
    radius: float,
) -> dict[Key, Rectangle] | None:
    """Return a box for each label beside its path; None if for some there is no room.

    Paths are points along each curve, with a label or without, of shape (points, 2). Labels must not meet the circles.
    """
    every = np.concatenate(list(paths.values()))
    placed: dict[Key, Rectangle] = {}
    # those with the least choice first
    for key in sorted(sizes, key=lambda key: _length(paths[key])):
        free = [
            (t, box)
            for t, box in _candidates(sizes[key], paths[key])
            if not any(box.overlaps(other) for other in placed.values())
            and not any(box.meets(centre, radius) for centre in centres)
        ]
        if not free:
            return None
        crossed = _crossed([box for _, box in free], every)
        cost = [points + 3 * abs(t - 0.5) for points, (t, _) in zip(crossed, free, strict=True)]
        placed[key] = free[int(np.argmin(cost))][1]
    return placed


def _candidates(size: Point, path: NDArray[np.float64]) -> Iterator[tuple[float, Rectangle]]:
    """Yield boxes beside the path, on either side, and on it, with how far along it they are."""
    width, height = size
    for t in ALONG:
        i = round(t * (len(path) - 1))
        x, y = path[i].tolist()
        dx, dy = (path[min(i + 1, len(path) - 1)] - path[max(i - 1, 0)]).tolist()
        length = hypot(dx, dy) or 1.0
        nx, ny = dy / length, -dx / length
        off = abs(nx) * width / 2 + abs(ny) * height / 2 + GAP
        for side in (off, -off, 0.0):
            yield t, Rectangle(x + side * nx, y + side * ny, width, height)


def _crossed(boxes: Sequence[Rectangle], points: NDArray[np.float64]) -> list[int]:
    """Return how many of the points lie in each of the boxes, which have one size."""
    centres = np.array([(box.x, box.y) for box in boxes])
    half = (boxes[0].width / 2, boxes[0].height / 2)
    inside = (np.abs(points - centres[:, None]) < half).all(axis=2)
    return [int(number) for number in inside.sum(axis=1)]


def _length(path: NDArray[np.float64]) -> float:
    return float(np.hypot(*np.diff(path, axis=0).T).sum())
