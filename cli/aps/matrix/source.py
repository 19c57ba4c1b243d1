"""matrix.yaml as plain values, each with its place; what YAML would guess is kept apart."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import yaml

from aps import packs
from aps.matrix.faults import Fault

Path = tuple[str | int, ...]
Place = tuple[int, int]

LARGEST = 1 << 18
DEEPEST = 20
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TAG = "tag:yaml.org,2002:"
_KINDS = frozenset({"str", "null", "bool", "int", "float", "timestamp", "value", "merge"})
_READ_AS = {"bool": "true or false", "int": "a number", "float": "a number", "timestamp": "a date"}


@dataclass(frozen=True, slots=True)
class Unquoted:
    """A plain scalar that YAML does not read as the text that stands there (`no`, `22:30`)."""

    text: str
    reading: str


@dataclass(frozen=True, slots=True)
class Source:
    """`tree` is None where the file is no mapping; `broken` are the paths that `faults` name."""

    tree: dict[str, object] | None
    keys: Mapping[Path, Place]
    values: Mapping[Path, Place]
    faults: tuple[Fault, ...]
    broken: frozenset[Path]

    def fault(self, path: Path, text: str) -> Fault:
        """A fault of the value there, or of the nearest above it that stands in the file."""
        while path not in self.values and path:
            path = path[:-1]
        return _fault(self.values.get(path, (1, 1)), path, text)

    def key_fault(self, path: Path, text: str) -> Fault:
        """A fault of that key; where the key is missing, at the key that should hold it."""
        above = path
        while above not in self.keys and above:
            above = above[:-1]
        return _fault(self.keys.get(above) or self.values.get((), (1, 1)), path, text)

    def get(self, *path: str) -> object:
        """What stands there, None where nothing does."""
        here: object = self.tree
        for key in path:
            here = here.get(key) if isinstance(here, dict) else None
        return here

    def has(self, *path: str) -> bool:
        return path in self.keys

    def text(self, *path: str) -> str | None:
        value = self.get(*path)
        return value if isinstance(value, str) else None

    def texts(self, *path: str) -> tuple[str, ...]:
        """A list of texts, or one text in its place; whatever is none is left out."""
        value = self.get(*path)
        items = value if isinstance(value, list) else [value]
        return tuple(item for item in items if isinstance(item, str))

    def names(self, *path: str) -> tuple[str, ...]:
        """The keys of the mapping that stands there."""
        value = self.get(*path)
        return tuple(value) if isinstance(value, dict) else ()


def _fault(place: Place, path: Path, text: str) -> Fault:
    where = ".".join(map(str, path))
    return Fault(packs.FILE, *place, f"{where}: {text}" if where else text)


def read(data: bytes) -> Source:
    """The file's bytes as a Source; never raises, whatever they hold."""
    reader = _Reader()
    tree: object = None
    try:
        root = yaml.compose(_decode(data), Loader=_LOADER)
        if root is None:
            reader.tell((1, 1), "the file is empty; begin with `matrix: 1`")
        else:
            tree = reader.read(root, ())
            if not isinstance(tree, dict):
                reader.tell(_place(root), "the file must be a mapping; begin with `matrix: 1`")
    except _Unreadable as unreadable:
        reader.tell(unreadable.place, unreadable.text)
    except yaml.YAMLError as error:
        reader.tell(*_yaml_error(error, data))
    except RecursionError:
        reader.tell((1, 1), "nested too deep to be a matrix")
    kept = tree if isinstance(tree, dict) else None
    return Source(kept, reader.keys, reader.values, tuple(reader.faults), frozenset(reader.broken))


class _Unreadable(Exception):
    def __init__(self, place: Place, text: str) -> None:
        self.place = place
        self.text = text


def _decode(data: bytes) -> str:
    if len(data) > LARGEST:
        raise _Unreadable((1, 1), f"larger than {LARGEST} bytes; this is no matrix")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise _Unreadable((line, column), "not UTF-8; save the file as UTF-8") from None


def _yaml_error(error: yaml.YAMLError, data: bytes) -> tuple[Place, str]:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is None:
        before = data.decode("utf-8-sig")[: getattr(error, "position", 0)]
        place = before.count("\n") + 1, len(before) - before.rfind("\n")
        return place, f"not YAML: {getattr(error, 'reason', error)}; remove the character"
    problem = getattr(error, "problem", None) or "cannot be read"
    lines = data.decode("utf-8-sig").splitlines()
    tab = mark.line < len(lines) and "\t" in lines[mark.line]
    remedy = "indent with spaces, not with a tab" if tab else "mend it there or just above"
    return _place_of_mark(mark), f"not YAML: {problem}; {remedy}"


def _place_of_mark(mark: yaml.Mark) -> Place:
    return mark.line + 1, mark.column + 1


def _place(node: yaml.Node) -> Place:
    return _place_of_mark(node.start_mark)


@dataclass(slots=True)
class _Reader:
    keys: dict[Path, Place] = field(default_factory=dict)
    values: dict[Path, Place] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    broken: set[Path] = field(default_factory=set)
    seen: set[int] = field(default_factory=set)

    def tell(self, place: Place, text: str, path: Path = ()) -> None:
        self.broken.add(path)
        self.faults.append(_fault(place, path, text))

    def read(self, node: yaml.Node, path: Path) -> object:
        place = self.values[path] = _place(node)
        # An alias gives the same node again; a few of them can expand to millions of values.
        if id(node) in self.seen:
            self.tell(self.keys.get(path, place), "aliases are not read; write it out", path)
            return None
        self.seen.add(id(node))
        if len(path) > DEEPEST:
            self.tell(place, "nested too deep to be a matrix", path)
            return None
        if isinstance(node, yaml.MappingNode) and node.tag == f"{_TAG}map":
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode) and node.tag == f"{_TAG}seq":
            return [self.read(item, (*path, at)) for at, item in enumerate(node.value)]
        if isinstance(node, yaml.ScalarNode) and node.tag.removeprefix(_TAG) in _KINDS:
            return self._scalar(node, path)
        self.tell(place, f"the tag {node.tag!r} is not read; remove it", path)
        return None

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[str, object]:
        found: dict[str, object] = {}
        for key, value in node.value:
            name = self._key(key, path)
            if name is None:
                continue
            if name in found:
                line, column = self.keys[*path, name]
                text = f"the key stands already at {line}:{column}; keep one of the two"
                self.tell(_place(key), text, (*path, name))
                continue
            self.keys[*path, name] = _place(key)
            found[name] = self.read(value, (*path, name))
        return found

    def _key(self, node: yaml.Node, path: Path) -> str | None:
        if not isinstance(node, yaml.ScalarNode):
            self.tell(_place(node), "a key must be text", path)
            return None
        kind = node.tag.removeprefix(_TAG)
        if kind == "merge":
            self.tell(_place(node), "merge keys are not read; write it out", path)
            return None
        if kind != "str":
            reading = _READ_AS.get(kind, f"{kind}, not text")
            text = f'as a key it is read as {reading}; quote it: "{node.value}"'
            self.tell(_place(node), text, (*path, node.value))
        return str(node.value)

    def _scalar(self, node: yaml.ScalarNode, path: Path) -> object:
        text: str = node.value
        match node.tag.removeprefix(_TAG):
            case "str":
                return text
            case "null":
                self.tell(_place(node), "empty; write a value or remove the key", path)
                return None
            case "bool" if text in ("true", "false"):
                return text == "true"
            case "int" if re.fullmatch(r"-?(0|[1-9][0-9]{0,17})", text):
                return int(text)
            case kind:
                return Unquoted(text, _READ_AS.get(kind, f"a YAML {kind}"))
