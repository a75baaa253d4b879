"""The user's own modules: imported here, sent to the workers by value.

A module registers what it brings (an estimator, coefficient, simulator or experiment) when it is imported;
adapters in it are registered for it. It then goes with the tasks to local processes and to machines of a
cluster that do not have it.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from truerank.errors import InputError
from truerank.readers.formats.adapter import Adapter
from truerank.readers.formats.format import FORMATS, register

_LOADED: dict[str, ModuleType] = {}


def load(names: Sequence[str]) -> dict[str, str]:
    """Import modules by dotted name or by path of a Python file; returns a hash of each one's code."""
    codes: dict[str, str] = {}
    for name in names:
        module = _import(name)
        _LOADED[module.__name__] = module
        _register_adapters(module)
        # What has no module of its own, as SciPy's ufuncs, is sent by the name of the first module that holds
        # it. That must be the one that workers can import, so the user's modules come last.
        sys.modules[module.__name__] = sys.modules.pop(module.__name__)
        code = Path(module.__file__).read_bytes() if module.__file__ else b""
        digest = hashlib.sha256(code).hexdigest()
        called = Path(name).stem if name.endswith(".py") else name
        if codes.setdefault(called, digest) != digest:
            raise InputError(f"two plug-ins are called {called!r}; rename one of the files")
    return codes


def _register_adapters(module: ModuleType) -> None:
    """Register the adapters of a module, as its entry point would."""
    for item in vars(module).values():
        if isinstance(item, Adapter) and item.name not in FORMATS:
            register(item)


def send_by_value() -> None:
    """Have whatever is packed from now on carry the loaded modules along: workers cannot import them."""
    import cloudpickle

    for name, module in _LOADED.items():
        if sys.modules.get(name) is module:  # not one that was taken out again
            cloudpickle.register_pickle_by_value(module)


def _import(name: str) -> ModuleType:
    try:
        return _from_file(Path(name)) if name.endswith(".py") else importlib.import_module(name)
    except FileNotFoundError:
        raise InputError(f"{name}: no such file; name a module or a Python file") from None
    except ModuleNotFoundError as error:
        raise InputError(f"the plugin {name!r} cannot be imported: {error}") from None
    except Exception as error:
        raise InputError(
            f"the plugin {name!r} failed when imported: {type(error).__name__}: {error}"
        ) from error


def _from_file(path: Path) -> ModuleType:
    name = _module_name(path)
    known = sys.modules.get(name)
    if known is not None:
        return known  # imported before: what it registers is registered
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _module_name(path: Path) -> str:
    """A name that no other module has, so that a file called ``json.py`` hides no other."""
    place = hashlib.sha256(str(path.resolve()).encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"truerank_plugin_{path.stem}_{place}"
