"""The data classes of `dataclasses`, which write each method at its first call.

The standard library compiles up to seven methods for a class that is defined. A command that starts
defines a hundred classes and calls few of their methods: writing them late saves a quarter of its
time. What is here keeps the meaning of the arguments that it has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from dataclasses import asdict as asdict
    from dataclasses import astuple as astuple
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import replace as replace
else:
    from reprlib import recursive_repr

    _MISSING = object()
    _FIELDS = "__record_fields__"

    class _Field(NamedTuple):
        default: object
        factory: object
        init: bool
        repr: bool
        compare: bool

    def field(
        *, default=_MISSING, default_factory=_MISSING, init=True, repr=True, compare=True  # noqa: A002
    ):  # fmt: skip
        """Return the description of a field that `dataclass` reads."""
        return _Field(default, default_factory, init, repr, compare)

    def dataclass(cls=None, *, frozen=False, slots=False, eq=True):
        """Make a data class of *cls*; without it, return what does."""
        if cls is None:
            return lambda given: _make(given, frozen, slots, eq)
        return _make(cls, frozen, slots, eq)

    def replace(record, /, **changes):
        """Return a new record of the same class with *changes*."""
        for name, each in getattr(record, _FIELDS).items():
            if each.init and name not in changes:
                changes[name] = getattr(record, name)
        return type(record)(**changes)

    def asdict(record):
        """Return the fields of *record* by their names, with those of records within it."""
        import dataclasses  # which loads `inspect`

        return dataclasses.asdict(record)

    def astuple(record):
        """Return the fields of *record*, with those of records within it."""
        import dataclasses

        return dataclasses.astuple(record)

    def _make(cls, frozen, slots, eq):
        fields, own = _read_fields(cls)
        if slots:
            cls = _with_slots(cls, own)
        setattr(cls, _FIELDS, fields)
        cls.__dataclass_fields__ = _StandardFields()
        cls.__match_args__ = tuple(name for name, each in fields.items() if each.init)
        cls.__init__ = _late(cls, "__init__", lambda: _write_init(cls, fields, frozen))
        if "__repr__" not in vars(cls):
            cls.__repr__ = _repr
        if eq:
            cls.__eq__ = _late(cls, "__eq__", lambda: _write_eq(fields))
            cls.__hash__ = _late(cls, "__hash__", lambda: _write_hash(fields)) if frozen else None
        if frozen:
            cls.__setattr__, cls.__delattr__ = _refuse_to_set, _refuse_to_delete
        if frozen and slots:
            cls.__getstate__, cls.__setstate__ = _get_state, _set_state
        return cls

    def _read_fields(cls):
        """Return all fields of *cls* and the names of its own, whose defaults it gets or loses."""
        fields = {}
        for base in reversed(cls.__mro__[1:]):
            fields.update(vars(base).get(_FIELDS, ()))
        own = [name for name, kind in cls.__annotations__.items() if "ClassVar" not in str(kind)]
        for name in own:
            given = vars(cls).get(name, _MISSING)
            each = given if isinstance(given, _Field) else field(default=given)
            fields[name] = each
            if each.default.__class__.__hash__ is None:
                raise ValueError(f"{name} of {cls.__name__} needs a default_factory")
            if each.default is not _MISSING:
                setattr(cls, name, each.default)
            elif given is not _MISSING:
                delattr(cls, name)
        return fields, own

    def _with_slots(cls, own):
        """Return *cls* again with slots, which cannot be added to a class that is there."""
        left_out = {"__dict__", "__weakref__", *own}
        members = {name: value for name, value in vars(cls).items() if name not in left_out}
        inherited = {name for base in cls.__mro__[1:] for name in vars(base).get("__slots__", ())}
        members["__slots__"] = tuple(name for name in own if name not in inherited)
        made = type(cls)(cls.__name__, cls.__bases__, members)
        made.__qualname__ = cls.__qualname__
        return made

    def _late(cls, name, write):
        """Return a method that puts the written one in its place when it is first called."""

        def method(*values, **named):
            written = write()
            written.__qualname__ = f"{cls.__qualname__}.{name}"
            setattr(cls, name, written)
            return written(*values, **named)

        return method

    def _compile(head, lines, names):
        exec(f"def {head}:\n " + "\n ".join(lines or ["pass"]), names)  # noqa: S102
        return names[head.partition("(")[0]]

    def _write_init(cls, fields, frozen):
        names = {"_set": object.__setattr__, "_missing": _MISSING}
        parameters, lines = ["self"], []
        for name, each in fields.items():
            value = name
            if each.factory is not _MISSING:
                names[f"_make_{name}"] = each.factory
                value = f"_make_{name}()"
                if each.init:
                    parameters.append(f"{name}=_missing")
                    value = f"{value} if {name} is _missing else {name}"
            elif each.default is not _MISSING:
                names[f"_of_{name}"] = each.default
                value = name if each.init else f"_of_{name}"
                parameters += [f"{name}=_of_{name}"] if each.init else []
            elif each.init:
                parameters.append(name)
            else:
                continue
            lines.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
        if hasattr(cls, "__post_init__"):
            lines.append("self.__post_init__()")
        return _compile(f"__init__({', '.join(parameters)})", lines, names)

    def _compared(of, fields):
        return "".join(f"{of}.{name}, " for name, each in fields.items() if each.compare)

    def _write_eq(fields):
        body = f"return ({_compared('self', fields)}) == ({_compared('other', fields)})"
        lines = ["if other.__class__ is self.__class__:", f" {body}", "return NotImplemented"]
        return _compile("__eq__(self, other)", lines, {})

    def _write_hash(fields):
        return _compile("__hash__(self)", [f"return hash(({_compared('self', fields)}))"], {})

    @recursive_repr()
    def _repr(self):
        shown = getattr(self, _FIELDS).items()
        texts = [f"{name}={getattr(self, name)!r}" for name, each in shown if each.repr]
        return f"{type(self).__qualname__}({', '.join(texts)})"

    def _refuse_to_set(self, name, value):  # noqa: ARG001
        raise AttributeError(f"cannot assign to field {name!r}")

    def _refuse_to_delete(self, name):  # noqa: ARG001
        raise AttributeError(f"cannot delete field {name!r}")

    def _get_state(self):
        return [getattr(self, name) for name in getattr(self, _FIELDS)]

    def _set_state(self, state):
        for name, value in zip(getattr(self, _FIELDS), state, strict=True):
            object.__setattr__(self, name, value)

    class _StandardFields:
        """Makes the fields as `dataclasses` has them, for its `asdict`, `astuple` and `replace`."""

        def __get__(self, _, cls):
            import dataclasses

            fields = getattr(cls, _FIELDS)
            names = {}
            for name, each in fields.items():
                kind = {"init": each.init, "repr": each.repr, "compare": each.compare}
                if each.factory is not _MISSING:
                    kind["default_factory"] = each.factory
                elif each.default is not _MISSING:
                    kind["default"] = each.default
                names[name] = dataclasses.field(**kind)
            twin = type("Twin", (), {"__annotations__": dict.fromkeys(fields, "Any"), **names})
            cls.__dataclass_fields__ = dataclasses.dataclass(twin).__dataclass_fields__
            return cls.__dataclass_fields__
