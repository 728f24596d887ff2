"""The functions as ONNX models, written by hand as their users would."""

import numpy as np
from functions import mlp_weights
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
IR_VERSION = 9


def model(nodes, constants, function):
    """The serialized model of a graph that maps x to y0, y1, ..."""
    element = {"float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE}[
        function.dtype.name
    ]
    graph = helper.make_graph(
        nodes,
        function.name,
        [helper.make_tensor_value_info("x", element, function.argument.shape)],
        [
            helper.make_tensor_value_info(f"y{i}", element, output.shape)
            for i, output in enumerate(function.outputs)
        ],
        [
            numpy_helper.from_array(np.asarray(value), name)
            for name, value in constants.items()
        ],
    )
    opsets = [helper.make_opsetid("", OPSET)]
    return helper.make_model(
        graph, opset_imports=opsets, ir_version=IR_VERSION
    ).SerializeToString()


def node(operator, inputs, output, **attributes):
    return helper.make_node(operator, inputs.split(), [output], **attributes)


def sine(function):
    nodes = [node("Sin", "x", "s"), node("Mul", "s two", "y0")]
    return model(nodes, {"two": np.float32(2)}, function)


def rosenbrock(function):
    """With t = x[1:] - x[:-1]**2 and u = 1 - x[:-1], the gradient is
    -400*x[:-1]*t - 2*u for all but the last and 200*t for all but the first."""
    nodes = [
        node("Slice", "x first minus_one", "head"),
        node("Slice", "x one end", "tail"),
        node("Mul", "head head", "square"),
        node("Sub", "tail square", "t"),
        node("Sub", "unit head", "u"),
        node("Mul", "t t", "tt"),
        node("Mul", "u u", "uu"),
        node("Mul", "tt hundred", "a"),
        node("Add", "a uu", "terms"),
        node("ReduceSum", "terms", "y0", keepdims=0),
        node("Mul", "head t", "ht"),
        node("Mul", "ht minus_400", "b"),
        node("Mul", "u two", "c"),
        node("Sub", "b c", "to_head"),
        node("Mul", "t two_hundred", "to_tail"),
        node("Concat", "to_head zero", "g0", axis=0),
        node("Concat", "zero to_tail", "g1", axis=0),
        node("Add", "g0 g1", "y1"),
    ]
    constants = {
        "first": np.array([0]),
        "one": np.array([1]),
        "minus_one": np.array([-1]),
        "end": np.array([10]),
        "unit": np.float64(1),
        "hundred": np.float64(100),
        "two": np.float64(2),
        "two_hundred": np.float64(200),
        "minus_400": np.float64(-400),
        "zero": np.zeros(1),
    }
    return model(nodes, constants, function)


def mlp(function):
    nodes, constants, value = [], {}, "x"
    weights = mlp_weights()
    for i, matrix in enumerate(weights):
        constants[f"w{i}"] = matrix
        last = i == len(weights) - 1
        product = "y0" if last else f"p{i}"
        nodes.append(node("MatMul", f"{value} w{i}", product))
        if not last:
            value = f"h{i}"
            nodes.append(node("Tanh", product, value))
    return model(nodes, constants, function)


MODELS = {"sine": sine, "rosenbrock": rosenbrock, "mlp": mlp}


def serialized(function):
    """The ONNX model of a function."""
    return MODELS[function.name](function)
