"""The order of callbacks: what a program does in the place of JAX's tokens.

JAX hands a token from one callback to the next, one for each kind of callback, and the
main function takes and returns them, which a plugin cannot run. Here a number takes the
place of the tokens. A callback takes it and returns it, so that the next one depends on
its result as on any other: XLA then keeps the order wherever it keeps that of arrays.
"""

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import func, stablehlo

from cyxla.artifacts import closed, main_of, opened
from cyxla.callbacks import TARGET
from cyxla.donation import aliased_output, with_alias

TOKEN = "!stablehlo.token"
NUMBER = "tensor<i32>"

# What hands tokens on. Anything else might not do with a number.
OPERATIONS = {
    "func.call",
    "func.return",
    "stablehlo.case",
    "stablehlo.optimization_barrier",
    "stablehlo.return",
    "stablehlo.while",
}


def thread(code, num_inputs):
    """The artifact with a number in the place of the tokens, which begins in main.

    That keeps its last ``num_inputs`` arguments; those before become the number.
    """
    with opened(code) as module:
        token = ir.Type.parse(TOKEN)
        for operation in module.body.operations:
            for block in blocks_of(operation):
                chain(block, None, token)
        enclose(main_of(module), num_inputs, token)
        retype(module, token, ir.Type.parse(NUMBER))
        return closed(module, code)


def chain(block, current, token):
    """Hands one token through all operations of a block that have any, as they follow
    one another: also those of different kinds of callbacks happen in their order.

    ``current`` is the token that a block without one of its own begins with.
    """
    current = next((a for a in block.arguments if a.type == token), current)
    for operation in block.operations:
        operands = [i for i, x in enumerate(operation.operands) if x.type == token]
        results = [result for result in operation.results if result.type == token]
        if operands or results:
            check_operation(operation)
        for i in operands:
            operation.operands[i] = current
        for inner in blocks_of(operation):
            chain(inner, current, token)
        current = results[0] if results else current


def blocks_of(operation):
    """The blocks of all regions of an operation."""
    return [block for region in operation.regions for block in region]


def check_operation(operation):
    """Refuses what has tokens and is neither a callback nor hands them on."""
    name = operation.operation.name
    if name == "stablehlo.custom_call":
        name = ir.StringAttr(operation.attributes["call_target_name"]).value
        known = {TARGET}
    else:
        known = OPERATIONS
    if name not in known:
        raise NotImplementedError(
            f"the function has {name} in the order of its callbacks, and programs can "
            "keep the order of callbacks only"
        )


def enclose(main, num_inputs, token):
    """Begins and ends the order in main, which takes and returns no token then."""
    block = main.entry_block
    num_begun = len(block.arguments) - num_inputs
    num_ended = main.type.results.count(token)
    with ir.InsertionPoint.at_block_begin(block):
        number = ir.DenseElementsAttr.parse(f"dense<0> : {NUMBER}")
        begin = stablehlo.constant(number)
    for _ in range(num_begun):
        block.arguments[0].replace_all_uses_with(begin)
        block.erase_argument(0)
    end = block.operations[len(block.operations) - 1]
    with ir.InsertionPoint(end):
        func.ReturnOp(list(end.operands)[num_ended:])
    end.operation.erase()
    type = main.type
    kept = ir.FunctionType.get(type.inputs[num_begun:], type.results[num_ended:])
    main.attributes["function_type"] = ir.TypeAttr.get(kept)
    results = list(main.result_attrs)[num_ended:]
    main.attributes["res_attrs"] = ir.ArrayAttr.get(results)
    # An output is named by its place among the results, which were moved up.
    main.arg_attrs = ir.ArrayAttr.get(
        [
            with_alias(attributes, max(aliased_output(attributes) - num_ended, -1))
            for attributes in map(ir.DictAttr, list(main.arg_attrs)[num_begun:])
        ]
    )


def retype(module, token, number):
    """Makes numbers of all tokens, also in the types of functions."""

    def types_of(types):
        return [number if type == token else type for type in types]

    def visit(operation):
        values = list(operation.results)
        for block in blocks_of(operation):
            values += block.arguments
        for value in values:
            if value.type == token:
                value.set_type(number)
        if operation.name == "func.func":
            type = ir.FunctionType(
                ir.TypeAttr(operation.attributes["function_type"]).value
            )
            operation.attributes["function_type"] = ir.TypeAttr.get(
                ir.FunctionType.get(types_of(type.inputs), types_of(type.results))
            )
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
