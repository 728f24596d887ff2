"""Digests are the same for equal values and differ for others."""

import dataclasses
import enum
import functools
import math
import operator

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from cyxla.cache_digests import Digester, digest
from scripts import output_of


class Color(enum.Enum):
    RED = 1
    BLUE = 2


@dataclasses.dataclass
class Options:
    steps: int
    tolerance: float = 1e-6


class Pair(tuple):
    pass


def of(value):
    return Digester().of(value)


def adding(number):
    return lambda x: x + number


def with_default(x, n=1):
    return x * n


def with_keyword(x, *, n=1):
    return x * n


def nested(x):
    def inner(y):
        return y in {"one", "two", "three"}

    return inner(x)


class Model:
    def method(self, x):
        return x


DISTINCT = [
    None,
    True,
    False,
    0,
    1,
    1.0,
    -1.0,
    0.0,
    -0.0,
    math.inf,
    1j,
    "",
    "1",
    b"1",
    ...,
    (),
    [],
    {},
    set(),
    (1,),
    [1],
    Pair([1]),
    ((1,), 2),
    (1, (2,)),
    {"a": 1, "b": 2},
    {"a": 2, "b": 1},
    {1, 2},
    {1, 3},
    slice(1, 2),
    slice(None, 2),
    np.float32(1),
    np.float64(1),
    np.int8(1),
    np.ones(3),
    np.ones((3, 1)),
    np.ones(3, np.float32),
    np.zeros(3),
    np.dtype("f4"),
    np.dtype("f8"),
    np.float32,
    jnp.int8,
    jax.ShapeDtypeStruct((3,), np.float32),
    jax.ShapeDtypeStruct((3,), np.float64),
    jax.ShapeDtypeStruct((4,), np.float32),
    jax.ShapeDtypeStruct((3,), np.float32, weak_type=True),
    Color.RED,
    Color.BLUE,
    Options(1),
    Options(2),
    Options(1, 1e-3),
    adding(1),
    adding(2),
    adding(np.ones(3)),
    with_default,
    with_keyword,
    nested,
    lambda x: x + 1,
    lambda x: x - 1,
    lambda x, y: x + 1,
    lambda x: x + 2,
    lambda x: math.sin(x),
    lambda x: math.cos(x),
    functools.partial(with_default, n=1),
    functools.partial(with_default, n=2),
    functools.partial(with_default, 1),
    jax.jit(with_default),
    jax.jit(with_default, static_argnums=1),
    jax.jit(with_default, donate_argnums=0),
    jax.jit(with_default, compiler_options={"xla_cpu_foo": 1}),
    jax.jit(with_keyword),
    math.sin,
    operator.add,
    jnp.sin,
    jnp.cos,
]


def test_values_that_differ_have_other_digests():
    digests = [of(value) for value in DISTINCT]
    shared = [
        (DISTINCT[i], DISTINCT[k])
        for i in range(len(digests))
        for k in range(i)
        if digests[i] == digests[k]
    ]
    assert not shared


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"one", "two", "three"}, {"three", "two", "one"}),
        (bytearray(b"x"), b"x"),
        (np.ones(3, np.float32), jnp.ones(3, jnp.float32)),
        (np.ones((2, 2)).T, np.ones((2, 2))),
        (adding(1), adding(1)),
    ],
)
def test_equal_values_have_one_digest(first, second):
    assert of(first) == of(second)


def test_lists_of_parts_do_not_run_together():
    found = {digest("a", "bc"), digest("ab", "c"), digest("abc"), digest("a", "b", "c")}
    assert len(found) == 4


def test_a_function_that_holds_itself_has_a_digest():
    def factorial(n):
        return 1 if n == 0 else n * factorial(n - 1)

    def other(n):
        return 1 if n == 0 else n + other(n - 1)

    assert of(factorial) == of(factorial)
    assert of(factorial) != of(other)


def test_methods_count_with_their_objects():
    one, two = Options(1), Options(2)
    assert of(one.__eq__) != of(two.__eq__)
    assert of(one.__eq__) == of(Options(1).__eq__)


@pytest.mark.parametrize(
    "value",
    [
        object(),
        Model(),
        Model().method,
        adding(object()),
        [object()],
        {"a": object()},
        [].append,
        np.array([object()]),
    ],
)
def test_what_cannot_be_told_apart_is_refused(value):
    with pytest.raises(TypeError, match="a key cannot be made of"):
        of(value)


def test_the_line_that_a_function_is_in_does_not_matter():
    source = "def function(x):\n    return x + 1\n"
    names = [{"__name__": "module"} for _ in range(2)]
    exec(source, names[0])
    exec(f"# A comment.\n\n{source}", names[1])
    assert of(names[0]["function"]) == of(names[1]["function"])


def test_digests_are_the_same_in_every_process():
    script = """
        import jax
        from cyxla.cache_digests import Digester
        def function(x, *, names=frozenset({"a", "b"})):
            return x in {"one", "two", "three"} and x in names
        print(Digester().of([{"one": 1, "two": 2}, function, jax.jit(function)]).hex())
    """
    first = output_of(script, PYTHONHASHSEED="1")
    assert first == output_of(script, PYTHONHASHSEED="2")
