"""What ``cyxla bench`` keeps of the times of runs, in cli/samples.c."""

import ctypes

import numpy as np
import pytest
from plugins_for_tests import ROOT, build_library

MAXIMUM = 1 << 18


class Samples(ctypes.Structure):
    _fields_ = [
        ("seconds", ctypes.POINTER(ctypes.c_float)),
        ("count", ctypes.c_size_t),
        ("stride", ctypes.c_size_t),
        ("num_runs", ctypes.c_size_t),
        ("minimum", ctypes.c_double),
    ]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    path = tmp_path_factory.mktemp("samples") / "samples.so"
    library = ctypes.CDLL(str(build_library(path, [ROOT / "cli/samples.c"])))
    library.samples_add.argtypes = [ctypes.POINTER(Samples), ctypes.c_double]
    library.samples_quantile.restype = ctypes.c_double
    library.samples_quantile.argtypes = [
        ctypes.POINTER(Samples),
        ctypes.c_size_t,
        ctypes.POINTER(ctypes.c_float),
        ctypes.c_double,
    ]
    return library


def collect(library, times):
    samples = Samples(seconds=(ctypes.c_float * MAXIMUM)())
    for time in times:
        library.samples_add(samples, time)
    return samples


def quantile(library, threads, part):
    array = (Samples * len(threads))(*threads)
    room = (ctypes.c_float * sum(samples.count for samples in threads))()
    return library.samples_quantile(array, len(threads), room, part)


def test_quantiles_are_those_of_all_threads(library):
    threads = [collect(library, times) for times in ([5, 1, 3], [2, 4])]
    assert [samples.minimum for samples in threads] == [1, 2]
    parts = [0, 0.19, 0.2, 0.5, 0.99, 1]
    assert [quantile(library, threads, part) for part in parts] == [1, 1, 2, 3, 5, 5]


def test_of_more_runs_than_fit_every_second_is_kept(library):
    samples = collect(library, range(MAXIMUM, 0, -1))
    assert (samples.num_runs, samples.count, samples.stride) == (
        MAXIMUM,
        MAXIMUM // 2,
        2,
    )
    for time in [0.5, 7, 8]:
        library.samples_add(samples, time)
    assert (samples.num_runs, samples.count) == (MAXIMUM + 3, MAXIMUM // 2 + 2)
    assert samples.minimum == 0.5
    kept = np.ctypeslib.as_array(samples.seconds, (samples.count,))
    assert list(kept[:3]) == [MAXIMUM, MAXIMUM - 2, MAXIMUM - 4]
    assert list(kept[-3:]) == [2, 0.5, 8]
    assert abs(quantile(library, [samples], 0.5) - MAXIMUM / 2) <= 2


def test_threads_of_which_more_was_kept_count_no_more(library):
    many = collect(library, [1] * MAXIMUM)  # half of which are kept
    few = collect(library, [2] * 100_000)
    # 131072 of 1 and 50000 of 2.
    assert quantile(library, [many, few], 0.72) == 1
    assert quantile(library, [many, few], 0.73) == 2
