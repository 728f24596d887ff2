"""StableHLO artifacts, opened to be edited."""

import cyxla as cx
import numpy as np
import pytest
from cyxla import artifacts
from jaxlib.mlir import ir

CODE = cx.lower(lambda x: x + 1, [np.float32(1)]).code


def test_an_artifact_holds_the_same_when_it_was_opened_and_closed():
    with artifacts.opened(CODE) as module:
        text = str(module)
        code = artifacts.closed(module, CODE)
    assert artifacts.stablehlo_version(code) == artifacts.stablehlo_version(CODE)
    with artifacts.opened(code) as module:
        assert str(module) == text


def test_a_module_that_was_broken_is_not_closed():
    with artifacts.opened(CODE) as module:
        artifacts.main_of(module).arguments[0].set_type(ir.Type.parse("tensor<i32>"))
        with pytest.raises(ir.MLIRError, match="type of entry block argument"):
            artifacts.closed(module, CODE)
