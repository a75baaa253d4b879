"""Published maps from the stability of generalizability theory to other indices, and their known error.

They were fitted to simulated TREC collections by regression (Urbano, Marrero & Martín 2013). Their authors
advise caution: with few topics the error of τ is up to 0.4 (docs/experiments/planning.md). They stand beside
what the posterior says, never alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

MAPS: Mapping[str, tuple[str, Callable[[float, float], float]]] = MappingProxyType(
    {
        "tau": ("Kendall’s τ", lambda relative, absolute: relative**2.84729794),
        "tau_ap": ("τ_AP", lambda relative, absolute: relative**3.98652984),
        "power": ("power of paired tests", lambda relative, absolute: relative**4.77902510),
        "minor_conflicts": ("minor conflicts", lambda relative, absolute: (1 - relative) ** 1.53337367),
        "major_conflicts": ("major conflicts", lambda relative, absolute: (1 - relative) ** 2.62976839),
        "absolute_sensitivity": (
            "absolute sensitivity",
            lambda relative, absolute: (1 - relative) ** 1.54402997,
        ),
        "relative_sensitivity": (
            "relative sensitivity",
            lambda relative, absolute: (1 - absolute) ** 1.29759126,
        ),
        "rmse": ("root mean square error", lambda relative, absolute: (1 - absolute) ** 3.27642726),
    }
)
"""Label and function of Eρ² and Φ, by name."""

TAU_MISS = 0.4
"""By how much the map of τ was seen to miss at few topics (docs/experiments/planning.md)."""


def mapped(relative: float, absolute: float) -> dict[str, float]:
    """Every index that the published maps give for a stability.

    Args:
        relative: Eρ², in [0, 1].
        absolute: Φ, in [0, 1].

    Returns:
        The indices by their names in :data:`MAPS`.

    Example:
        >>> round(mapped(0.95, 0.9)["tau"], 5)
        0.86412
    """
    return {name: function(relative, absolute) for name, (_, function) in MAPS.items()}
