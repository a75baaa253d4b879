"""The user's own modules: what they register, and how their functions reach other processes."""

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
        try:
            module = _from_file(Path(name)) if name.endswith(".py") else importlib.import_module(name)
        except FileNotFoundError:
            raise InputError(f"{name}: no such file; name a module or a Python file") from None
        except ModuleNotFoundError as error:
            raise InputError(f"the plugin {name!r} cannot be imported: {error}") from None
        except Exception as error:
            raise InputError(
                f"the plugin {name!r} failed when imported: {type(error).__name__}: {error}"
            ) from error
        _LOADED[module.__name__] = module
        for item in vars(module).values():  # as the entry point of an adapter would
            if isinstance(item, Adapter) and item.name not in FORMATS:
                register(item)
        # What belongs to no module, such as SciPy's ufuncs, is sent by the name of the first module that
        # holds it. That must be the one that workers can import, so the user's modules come last.
        sys.modules[module.__name__] = sys.modules.pop(module.__name__)
        digest = hashlib.sha256(Path(module.__file__).read_bytes() if module.__file__ else b"").hexdigest()
        called = Path(name).stem if name.endswith(".py") else name
        if codes.setdefault(called, digest) != digest:
            raise InputError(f"two plug-ins are called {called!r}; rename one of the files")
    return codes


def _from_file(path: Path) -> ModuleType:
    """A file as a module whose name no other has: a file called ``json.py`` hides no other."""
    place = hashlib.sha256(str(path.resolve()).encode("utf-8", "surrogatepass")).hexdigest()[:12]
    name = f"truerank_plugin_{path.stem}_{place}"
    if name in sys.modules:
        return sys.modules[name]  # what it registers is registered
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


def send_by_value() -> None:
    """Have whatever is packed from now on carry the user's modules along: workers cannot import them."""
    import cloudpickle

    for name, module in _LOADED.items():
        if sys.modules.get(name) is module:  # not one that was taken out again
            cloudpickle.register_pickle_by_value(module)
