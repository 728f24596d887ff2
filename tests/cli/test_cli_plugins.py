"""The command ``cyxla plugins``."""

import json
import os

import lammps_jax_pjrt_cpu

PLUGIN = str(lammps_jax_pjrt_cpu.PLUGIN_PATH)


def test_nothing_is_found_where_nothing_is_given(cyxla):
    done = cyxla("plugins")
    assert done.returncode == 0
    assert done.stdout == (
        "no plugin was found: CYXLA_PLUGIN is not set, and no directory holds one;\n"
        "python -m cyxla lists those in Python's packages, and a file that was\n"
        "compiled names its own, which needs neither\n"
    )
    assert cyxla("plugins", "--json").stdout.split() == ["[", "]"]


def test_the_plugin_of_the_environment_is_described(cyxla):
    done = cyxla("plugins", CYXLA_PLUGIN=PLUGIN)
    assert done.returncode == 0
    assert done.stderr == ""
    assert PLUGIN in done.stdout
    assert "PJRT API    0.115" in done.stdout
    assert "FFI" in done.stdout


def test_the_libraries_in_a_directory_are_described(cyxla, tmp_path):
    os.symlink(PLUGIN, tmp_path / "b.so")
    (tmp_path / "a.so").write_text("no library")
    (tmp_path / "c.txt").write_text("no library")
    rows = json.loads(cyxla("plugins", "--json", tmp_path).stdout)
    assert [row["path"] for row in rows] == [f"{tmp_path}/a.so", f"{tmp_path}/b.so"]
    assert "is not a library that can be loaded" in rows[0]["problem"]
    assert rows[0]["pjrt_api_version"] is rows[0]["stablehlo_version"] is None
    assert rows[0]["extensions"] == []
    assert rows[1]["problem"] is None
    assert rows[1]["stablehlo_version"] == [1, 20, 0]
    assert rows[1]["pjrt_api_version"] == [0, 115]


def test_a_directory_that_cannot_be_read_is_reported(cyxla, tmp_path):
    done = cyxla("plugins", tmp_path / "nowhere")
    assert done.returncode == 0
    assert "nowhere cannot be read" in done.stdout
