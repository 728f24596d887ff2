"""Donated inputs: which output takes over the memory of which."""

from jaxlib.mlir import ir

from cyxla.artifacts import closed, main_of, opened

ALIASING = "tf.aliasing_output"

# What JAX gives a donated argument that no output has the shape and dtype of. XLA may
# put any output of as many bytes there, and nothing tells which. So it has no use: the
# argument would be copied by each run, and the program not be called directly.
DONOR = "jax.buffer_donor"


def assign(inputs, outputs, code):
    """Decides which output takes over the memory of each donated input.

    Returns the specs of the inputs with that, and the code. JAX pairs arrays of one
    shape and dtype in their order. Where names tell that an output is the next value of
    an input, as in a state that is returned, they are paired instead, so that the state
    can be updated where it lies.
    """
    with opened(code) as module:
        main = main_of(module)
        attributes = [ir.DictAttr(attribute) for attribute in main.arg_attrs]
        aliases = [aliased_output(attribute) for attribute in attributes]
        wanted = paired_by_name(inputs, outputs, aliases)
        if wanted != aliases or any(DONOR in attribute for attribute in attributes):
            main.arg_attrs = ir.ArrayAttr.get(
                [
                    with_alias(attribute, alias)
                    for attribute, alias in zip(attributes, wanted, strict=True)
                ]
            )
            code = closed(module, code)
    specs = [
        spec._replace(aliased_output=alias)
        for spec, alias in zip(inputs, wanted, strict=True)
    ]
    return specs, code


def aliased_output(attributes):
    """The index of the output that XLA writes into an argument's memory, or -1."""
    return ir.IntegerAttr(attributes[ALIASING]).value if ALIASING in attributes else -1


def with_alias(attributes, alias):
    """The attributes of an argument with that output, and none that XLA chooses."""
    named = {attribute.name: attribute.attr for attribute in attributes}
    named.pop(DONOR, None)
    if alias != -1:
        named[ALIASING] = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), alias)
    return ir.DictAttr.get(named)


def is_next_value(output, spec):
    """Whether names tell that an output is the next value of an input."""
    names = {output.name, output.name.removeprefix("result.")}
    return any(spec.name == name or spec.name.endswith(f".{name}") for name in names)


def paired_by_name(inputs, outputs, aliases):
    """The aliases, exchanged so that outputs go to the inputs of their name."""
    paired = list(aliases)
    for i, spec in enumerate(inputs):
        if paired[i] == -1 or is_next_value(outputs[paired[i]], spec):
            continue
        for k, alias in enumerate(paired):
            if (
                alias != -1
                and is_next_value(outputs[alias], spec)
                and (spec.shape, spec.dtype) == (inputs[k].shape, inputs[k].dtype)
            ):
                paired[i], paired[k] = paired[k], paired[i]
                break
    return paired
