"""What extension modules cimport, reached through tests/extension/seat.pyx."""

import ctypes
import gc
import sys
import threading
from pathlib import Path

import cyxla as cx
import jax.numpy as jnp
import numpy as np
import pytest
from scripts import output_of

F32 = np.float32


@pytest.fixture(scope="module")
def scale():
    """x and y give y * x and the sum of x."""
    return cx.compile(lambda x, y: (y * x, x.sum()), np.ones((2, 3), F32), F32(1))


def floats(address, count):
    """The numbers at an address, as they are now."""
    return np.frombuffer((ctypes.c_float * count).from_address(address), F32)


@pytest.fixture
def scaling(seat, scale):
    """A seat at scale, with its two inputs as arrays."""
    x, y = seat.Memory(24), seat.Memory(4)
    made = seat.Seat(scale, (x.address, seat.F32, (2, 3)), (y.address, seat.F32, ()))
    yield made, floats(x.address, 6), floats(y.address, 1)
    made.destroy()
    del x, y


def test_memory_is_aligned_and_zeroed(seat):
    for size in [0, 1, 24, 4096]:
        memory = seat.Memory(size)
        assert memory.address % 64 == 0
        assert not np.ctypeslib.as_array(
            (ctypes.c_byte * size).from_address(memory.address)
        ).any()


def test_inputs_are_read_at_each_execution(scaling):
    seat, x, y = scaling
    x[:] = range(6)
    for factor in [1, 2, -3]:
        y[0] = factor
        seat.execute()
        product, total = seat.outputs
        assert floats(product, 6).tolist() == [factor * i for i in range(6)]
        assert floats(total, 1).tolist() == [15]


def test_a_spec_tells_sizes(scaling, scale):
    seat, _, _ = scaling
    assert seat.num_inputs == 2
    assert seat.output_bytes == scale.output_bytes == [24, 4]


def test_there_are_no_outputs_before_an_execution(scaling):
    seat, _, _ = scaling
    assert seat.outputs == [0, 0]


def test_nothing_is_copied_and_no_python_object_is_made(scaling):
    seat, _, _ = scaling
    assert [seat.is_copied(i) for i in range(3)] == [False, False, False]
    seat.execute()
    gc.collect()
    blocks = sys.getallocatedblocks()
    seat.execute(1000)
    assert sys.getallocatedblocks() - blocks < 10  # those of this line
    assert all(address % 64 == 0 for address in seat.outputs)


@pytest.mark.parametrize("offset", [4, 16, 32, 60])
def test_memory_that_is_not_aligned_is_copied_and_said_to_be(seat, scale, offset):
    x, y = seat.Memory(24 + 64), seat.Memory(4)
    made = seat.Seat(
        scale, (x.address + offset, seat.F32, (2, 3)), (y.address, seat.F32, ())
    )
    assert [made.is_copied(0), made.is_copied(1)] == [True, False]
    for value in [1, 2]:
        floats(x.address + offset, 6)[:] = value
        made.execute()
        assert floats(made.outputs[1], 1).tolist() == [6 * value]
    made.destroy()


def test_a_donated_input_is_updated_in_place(seat):
    negate = cx.compile(lambda x: -x, np.zeros(3, F32), donate_argnums=0)
    memory = seat.Memory(12)
    made = seat.Seat(negate, (memory.address, seat.F32, (3,)))
    made.bind_output(0, memory.address)
    floats(memory.address, 3)[:] = [1, 2, 3]
    made.execute(3)
    assert made.outputs == [memory.address]
    assert floats(memory.address, 3).tolist() == [-1, -2, -3]
    made.bind_output(0, 0)
    made.execute()
    assert made.outputs != [memory.address]
    assert floats(made.outputs[0], 3).tolist() == [1, 2, 3]
    made.destroy()


def test_memory_that_cannot_be_bound_is_refused(seat, scale, scaling):
    made, x, _ = scaling
    with pytest.raises(cx.Error, match=r"overlaps that of input x.*donate") as info:
        made.bind_output(0, x.ctypes.data)
    assert info.value.status == "INVALID_ARGUMENT"
    with pytest.raises(cx.Error, match="there is no output 2, the program has 2"):
        made.bind_output(2, x.ctypes.data)


def test_inputs_that_are_not_the_program_s_are_refused_by_name(seat, scale):
    address = seat.Memory(24).address
    x, y = (address, seat.F32, (2, 3)), (address, seat.F32, ())
    for inputs, message in [
        ([], r"takes 2 arguments \(x, y\), found 0"),
        ([x], r"takes 2 arguments \(x, y\), found 1"),
        ([x, y, y], r"takes 2 arguments \(x, y\), found 3"),
        ([(address, seat.F64, (2, 3)), y], r"x is float64\[2, 3\], .* float32\[2, 3\]"),
        ([x, (address, seat.S32, ())], r"input y is int32\[\], expected float32\[\]"),
        ([(address, seat.F32, (3, 2)), y], r"x is float32\[3, 2\], .* float32\[2, 3\]"),
        (
            [(address, seat.F32, (6,)), y],
            r"x is float32\[6\], expected float32\[2, 3\]",
        ),
        ([x, (address, seat.F32, (1,))], r"y is float32\[1\], expected float32\[\]"),
        ([(address, 99, (2, 3)), y], r"x is invalid\[2, 3\], expected float32\[2, 3\]"),
    ]:
        with pytest.raises(TypeError, match=message):
            seat.Seat(scale, *inputs)


def test_what_is_missing_is_refused(seat, scale):
    address = seat.Memory(24).address
    with pytest.raises(TypeError, match="the data of input y is NULL, expected 4 byt"):
        seat.Seat(scale, (address, seat.F32, (2, 3)), (0, seat.F32, ()))
    with pytest.raises(TypeError, match="the executable is None"):
        seat.Seat(None, (address, seat.F32, (2, 3)))


def test_a_spec_keeps_the_executable_until_it_is_destroyed(seat):
    executable = cx.compile(lambda x: x + 1, F32(0))
    memory = seat.Memory(4)
    references = sys.getrefcount(executable)
    made = seat.Seat(executable, (memory.address, seat.F32, ()))
    assert sys.getrefcount(executable) == references + 1
    del executable
    made.execute()
    assert floats(made.outputs[0], 1).tolist() == [1]
    made.destroy()
    made.destroy()


def test_a_refused_spec_keeps_nothing(seat, scale):
    references = sys.getrefcount(scale)
    address = seat.Memory(24).address
    with pytest.raises(TypeError, match="input y is"):
        seat.Seat(scale, (address, seat.F32, (2, 3)), (address, seat.F64, ()))
    assert sys.getrefcount(scale) == references


def test_threads_with_a_seat_each_run_at_once(seat):
    size, count = 2048, 4
    executable = cx.compile(lambda x: jnp.cumsum(jnp.sin(x)), np.zeros(size, F32))
    memories = [seat.Memory(4 * size) for _ in range(count)]
    seats = [
        seat.Seat(executable, (memory.address, seat.F32, (size,)))
        for memory in memories
    ]
    start = threading.Barrier(count)
    right = []

    def work(index):
        (expected,) = executable.run([np.full(size, index, F32)])
        floats(memories[index].address, size)[:] = index
        start.wait()
        for _ in range(50):
            seats[index].execute(4)
            found = floats(seats[index].outputs[0], size)
            right.append(found.tobytes() == expected.tobytes())

    threads = [threading.Thread(target=work, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert right == [True] * (50 * count)


def test_an_execution_that_fails_raises_the_plugin_s_error(seat):
    """As of a program whose signature is not that of its code."""
    program = cx.lower(lambda x: x + 1, [np.zeros(3, F32)])
    mislabelled = cx.Program.from_parts(
        platform=program.platform,
        code=program.code,
        compile_options=program.compile_options,
        inputs=[cx.ArraySpec("x", (4,), np.dtype(F32))],
        outputs=program.outputs,
    )
    executable, _ = cx.compile_program(mislabelled)
    memory = seat.Memory(16)
    made = seat.Seat(executable, (memory.address, seat.F32, (4,)))
    for failing in [made.execute, made.raise_error]:
        assert not made.try_execute()
        assert made.outputs == [0]
        with pytest.raises(cx.Error, match="the plugin cannot run the prog") as info:
            failing()
        assert info.value.status == "INVALID_ARGUMENT"
    made.destroy()


def test_an_execution_in_a_forked_child_fails_now_or_later(seat):
    output = output_of(
        """
        import os, sys, warnings
        warnings.simplefilter("ignore")  # of JAX and Python about the fork
        sys.path.insert(0, sys.argv[1])
        import cyxla as cx
        import numpy as np
        import seat
        memory = seat.Memory(4)
        executable = cx.compile(lambda x: x + 1, np.float32(0), tier="pjrt")
        made = seat.Seat(executable, (memory.address, seat.F32, ()))
        assert made.try_execute()
        made.raise_error()
        if os.fork() == 0:
            print(made.try_execute(), made.outputs)
            for failing in [made.execute, made.raise_error]:
                try:
                    failing()
                except cx.Error as error:
                    print(error.status, error, flush=True)
            os._exit(0)
        os.wait()
        """,
        Path(seat.__file__).parent,
    )
    first, now, later = output.splitlines()
    assert first == "False [0]"
    assert now == later
    assert now.startswith("FORKED the process was forked after the plugin")
