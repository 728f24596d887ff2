"""The fields of XLA's messages that the C sources read, as the sources say them and as
XLA declares them.

A new field is an entry in FIELDS, under the source and the message: the constant of the
source's enum, and the field's name and type. Where plugins differ the entry is a
dictionary by PJRT API version; None where the plugin has no such field. A new .proto
file is an entry in FILES, a constant that is a value of XLA's enum one in VALUES.
"""

import re

from plugins_for_tests import CPU_PLUGIN, MIDDLE_CPU_PLUGIN, OLD_CPU_PLUGIN, ROOT

SOURCES = ROOT / "src"

PLUGINS = {"0.115": CPU_PLUGIN, "0.106": MIDDLE_CPU_PLUGIN, "0.81": OLD_CPU_PLUGIN}

FILES = [
    "xla/backends/cpu/runtime/thunk.proto",
    "xla/pjrt/proto/compile_options.proto",
    "xla/service/buffer_assignment.proto",
    "xla/service/cpu/executable.proto",
    "xla/service/hlo.proto",
    "xla/service/shaped_slice.proto",
    "xla/xla.proto",
    "xla/xla_data.proto",
]

# Of the files, what a plugin does not have.
MISSING = {"0.81": {"xla/service/shaped_slice.proto"}}

SLICE = "xla.buffer_assignment.BufferAllocationSliceProto"
SHAPED_SLICE = "xla.ShapedSliceProto"
SHAPE_AND_SLICE = "xla.cpu.ShapeBufferAllocationSliceProto"
SEQUENCE = "xla.cpu.ThunkSequenceProto"


def since_0_106(field, before):
    return {"0.115": field, "0.106": field, "0.81": before}


FIELDS = {
    "compile_options.c": {
        "xla.CompileOptionsProto": {
            "EXECUTABLE_BUILD_OPTIONS": "executable_build_options: "
            "xla.ExecutableBuildOptionsProto",
        },
        "xla.ExecutableBuildOptionsProto": {
            "NUM_REPLICAS": "num_replicas: int64",
            "NUM_PARTITIONS": "num_partitions: int64",
        },
    },
    "direct/buffers.c": {
        "xla.BufferAssignmentProto": {
            "ASSIGNMENT_LOGICAL_BUFFERS": "logical_buffers: "
            "repeated xla.LogicalBufferProto",
            "ASSIGNMENT_ALLOCATIONS": "buffer_allocations: "
            "repeated xla.BufferAllocationProto",
        },
        "xla.LogicalBufferProto": {
            "LOGICAL_ID": "id: int64",
            "LOGICAL_DEFINED_AT": "defined_at: xla.LogicalBufferProto.Location",
        },
        "xla.LogicalBufferProto.Location": {
            "LOCATION_SHAPE_INDEX": "shape_index: repeated int64",
            "LOCATION_INSTRUCTION": "instruction_id: int64",
        },
        "xla.BufferAllocationProto": {
            "ALLOCATION_INDEX": "index: int64",
            "ALLOCATION_SIZE": "size: int64",
            "ALLOCATION_IS_THREAD_LOCAL": "is_thread_local: bool",
            "ALLOCATION_IS_ENTRY_PARAMETER": "is_entry_computation_parameter: bool",
            "ALLOCATION_PARAMETER_NUMBER": "parameter_number: int64",
            "ALLOCATION_MAYBE_LIVE_OUT": "maybe_live_out: bool",
            "ALLOCATION_COLOR": "color: int64",
            "ALLOCATION_ASSIGNED": "assigned: "
            "repeated xla.BufferAllocationProto.Assigned",
            "ALLOCATION_PARAMETER_SHAPE_INDEX": "parameter_shape_index: repeated int64",
            "ALLOCATION_IS_TUPLE": "is_tuple: bool",
            "ALLOCATION_IS_CONSTANT": "is_constant: bool",
            "ALLOCATION_LAST": "is_parameter_aliased_with_output: bool",
        },
        "xla.BufferAllocationProto.Assigned": {
            "ASSIGNED_LOGICAL_ID": "logical_buffer_id: int64",
            "ASSIGNED_OFFSET": "offset: int64",
        },
        "xla.ProgramShapeProto": {
            "PROGRAM_PARAMETERS": "parameters: repeated xla.ShapeProto",
            "PROGRAM_RESULT": "result: xla.ShapeProto",
        },
        "xla.ShapeProto": {"SHAPE_TUPLE": "tuple_shapes: repeated xla.ShapeProto"},
    },
    "direct/comparator.c": {
        "xla.cpu.CompilationResultProto": {
            "RESULT_SYMBOLS": "compiled_symbols: repeated xla.cpu.SymbolProto",
        },
        "xla.cpu.SymbolProto": {
            "SYMBOL_KIND": "function_type_id: xla.cpu.SymbolProto.FunctionTypeId",
            "SYMBOL_NAME": "name: string",
        },
        "xla.HloComputationProto": {
            "COMPUTATION_NAME": "name: string",
            "COMPUTATION_INSTRUCTIONS": "instructions: "
            "repeated xla.HloInstructionProto",
        },
        "xla.HloInstructionProto": {
            "INSTRUCTION_SHAPE": "shape: xla.ShapeProto",
            "INSTRUCTION_PARAMETER_NUMBER": "parameter_number: int64",
        },
    },
    "direct/direct.c": {
        "xla.ExecutableAndOptionsProto": {
            "TOP_RESULT": "serialized_executable: bytes",
            "TOP_OPTIONS": "compile_options: xla.CompileOptionsProto",
        },
        "xla.cpu.CompilationResultProto": {
            "RESULT_MODULE": "hlo_module: xla.HloModuleProtoWithConfig",
            "RESULT_BUFFER_ASSIGNMENT": "buffer_assignment: xla.BufferAssignmentProto",
            "RESULT_KIND": "obj_files_kind: xla.cpu.CompilationResultProto.ObjFileKind",
            "RESULT_THUNKS": f"thunk_sequence: {SEQUENCE}",
            "RESULT_OBJECTS": "object_files: repeated xla.cpu.ObjFileProto",
            "RESULT_LAST": since_0_106("data_layout: string", None),
        },
        "xla.HloModuleProtoWithConfig": {
            "MODULE_WITH_CONFIG_MODULE": "hlo_module: xla.HloModuleProto",
        },
        "xla.cpu.ObjFileProto": {"OBJECT_CONTENT": "contents: bytes"},
    },
    "direct/hlo.c": {
        "xla.HloModuleProto": {
            "MODULE_COMPUTATIONS": "computations: repeated xla.HloComputationProto",
            "MODULE_HOST_PROGRAM_SHAPE": "host_program_shape: xla.ProgramShapeProto",
            "MODULE_ENTRY": "entry_computation_id: int64",
        },
        "xla.HloComputationProto": {
            "COMPUTATION_INSTRUCTIONS": "instructions: "
            "repeated xla.HloInstructionProto",
            "COMPUTATION_ID": "id: int64",
            "COMPUTATION_ROOT": "root_id: int64",
        },
        "xla.HloInstructionProto": {
            "INSTRUCTION_OPCODE": "opcode: string",
            "INSTRUCTION_PARAMETER_NUMBER": "parameter_number: int64",
            "INSTRUCTION_TUPLE_INDEX": "tuple_index: int64",
            "INSTRUCTION_ID": "id: int64",
            "INSTRUCTION_OPERANDS": "operand_ids: repeated int64",
            "INSTRUCTION_CALLED": "called_computation_ids: repeated int64",
            "INSTRUCTION_HAS_SIDE_EFFECT": "custom_call_has_side_effect: bool",
        },
    },
    "direct/layout.c": {
        "xla.ShapeProto": {
            "SHAPE_ELEMENT_TYPE": "element_type: xla.PrimitiveType",
            "SHAPE_SIZES": "dimensions: repeated int64",
            "SHAPE_LAYOUT": "layout: xla.LayoutProto",
            "SHAPE_IS_DYNAMIC": "is_dynamic_dimension: repeated bool",
        },
        "xla.LayoutProto": {
            "LAYOUT_MINOR_TO_MAJOR": "minor_to_major: repeated int64",
            "LAYOUT_TAIL_ALIGNMENT": "tail_padding_alignment_in_elements: int64",
        },
    },
    "direct/literal.c": {
        "xla.ShapeProto": {
            "SHAPE_ELEMENT_TYPE": "element_type: xla.PrimitiveType",
            "SHAPE_SIZES": "dimensions: repeated int64",
            "SHAPE_LAYOUT": "layout: xla.LayoutProto",
        },
        "xla.LayoutProto": {"LAYOUT_MINOR_TO_MAJOR": "minor_to_major: repeated int64"},
        "xla.HloInstructionProto": {"INSTRUCTION_LITERAL": "literal: xla.LiteralProto"},
        "xla.LiteralProto": {"LITERAL_SHAPE": "shape: xla.ShapeProto"},
    },
    "direct/loops.c": {
        "xla.HloInstructionProto": {
            "INSTRUCTION_BACKEND_CONFIG": "backend_config: bytes"
        },
    },
    "direct/order.c": {
        "xla.HloInstructionProto": {
            "INSTRUCTION_NAME": "name: string",
            "INSTRUCTION_METADATA": "metadata: xla.OpMetadata",
            "INSTRUCTION_PARAMETER_NUMBER": "parameter_number: int64",
            "INSTRUCTION_ID": "id: int64",
            "INSTRUCTION_OPERANDS": "operand_ids: repeated int64",
            "INSTRUCTION_CALLED": "called_computation_ids: repeated int64",
            "INSTRUCTION_DIRECTION": "comparison_direction: string",
            "INSTRUCTION_COMPARISON": "comparison_type: string",
        },
    },
    "direct/slice.c": {
        SLICE: {
            "SLICE_OFFSET": "offset: int64",
            "SLICE_SIZE": "size: int64",
            "SLICE_ALLOCATION": "buffer_allocation_index: int64",
            "SLICE_ELEMENT_TYPE": "element_type: xla.PrimitiveType",
        },
    },
    "direct/thunks.c": {
        SEQUENCE: {"SEQUENCE_THUNKS": "thunks: repeated xla.cpu.ThunkProto"},
        "xla.cpu.ThunkProto": {
            "THUNK_KIND": "kind: string",
            "THUNK_INFO": "info: xla.cpu.InfoProto",
            "THUNK_CALL": "call_thunk: xla.cpu.CallThunkProto",
            "THUNK_CONDITIONAL": "conditional_thunk: xla.cpu.ConditionalThunkProto",
            "THUNK_SORT": "sort_thunk: xla.cpu.SortThunkProto",
            "THUNK_TOP_K": "top_k_thunk: xla.cpu.TopKThunkProto",
            "THUNK_WHILE": "while_thunk: xla.cpu.WhileThunkProto",
            "THUNK_KERNEL": "kernel_thunk: xla.cpu.KernelThunkProto",
            "THUNK_COPY": "copy_thunk: xla.cpu.CopyThunkProto",
            "THUNK_CUSTOM_CALL": "custom_call_thunk: xla.cpu.CustomCallThunkProto",
            "THUNK_PARTITION_ID": "partition_id_thunk: xla.cpu.PartitionIdThunkProto",
            "THUNK_REPLICA_ID": "replica_id_thunk: xla.cpu.ReplicaIdThunkProto",
        },
        "xla.cpu.KernelThunkProto": {
            "KERNEL_NAME": "kernel_name: string",
            "KERNEL_NUM_WORKGROUPS": "num_workgroups: "
            "xla.cpu.KernelThunkProto.NumWorkGroups",
            "KERNEL_MIN_ALIGNMENT": "min_alignment: xla.cpu.Int64Optional",
            # Another type under the same number, which the source tells apart.
            "KERNEL_ARGUMENTS": since_0_106(
                f"arguments_buffers: repeated {SHAPED_SLICE}",
                f"arguments_buffers: repeated {SLICE}",
            ),
            "KERNEL_RESULTS": since_0_106(
                f"results_buffers: repeated {SHAPED_SLICE}",
                f"results_buffers: repeated {SLICE}",
            ),
        },
        "xla.cpu.KernelThunkProto.NumWorkGroups": {
            "WORKGROUPS_X": "x: int64",
            "WORKGROUPS_Y": "y: int64",
            "WORKGROUPS_Z": "z: int64",
        },
        "xla.cpu.Int64Optional": {"ALIGNMENT_VALUE": "value: int64"},
        SHAPED_SLICE: {"SHAPED_SLICE": since_0_106(f"slice: {SLICE}", None)},
        "xla.cpu.PartitionIdThunkProto": {"ID_SLICE": f"logical_id_buffer: {SLICE}"},
        "xla.cpu.ReplicaIdThunkProto": {"ID_SLICE": f"logical_id_buffer: {SLICE}"},
    },
    "direct/thunks_control.c": {
        "xla.cpu.WhileThunkProto": {
            "WHILE_CONDITION": f"cond_sequence: {SEQUENCE}",
            "WHILE_BODY": f"body_sequence: {SEQUENCE}",
            "WHILE_TRIP_COUNT": "trip_count: xla.cpu.Int64Optional",
            "WHILE_PREDICATE": f"cond_buffer: {SLICE}",
        },
        "xla.cpu.Int64Optional": {
            "TRIP_COUNT_VALUE": "value: int64",
            "TRIP_COUNT_IS_KNOWN": "contains_value: bool",
        },
        "xla.cpu.ConditionalThunkProto": {
            "CONDITIONAL_BRANCHES": f"branch_sequences: repeated {SEQUENCE}",
            "CONDITIONAL_INDEX": f"branch_index_buffer: {SLICE}",
        },
        "xla.cpu.CallThunkProto": {"CALL_SEQUENCE": f"called_sequence: {SEQUENCE}"},
    },
    "direct/thunks_custom_call.c": {
        "xla.cpu.CustomCallThunkProto": {
            "CUSTOM_CALL_API_VERSION": "api_version: xla.CustomCallApiVersion",
            "CUSTOM_CALL_TARGET": "target_name: string",
            "CUSTOM_CALL_ATTRIBUTES": "backend_config: string",
            "CUSTOM_CALL_BUFFERS": "op_buffers: xla.cpu.CustomCallThunkProto.OpBuffers",
        },
        "xla.cpu.CustomCallThunkProto.OpBuffers": {
            "BUFFERS_ARGUMENTS": f"arguments_shapes: repeated {SHAPE_AND_SLICE}",
            "BUFFERS_RESULTS": f"results_shapes: repeated {SHAPE_AND_SLICE}",
        },
    },
    "direct/thunks_copy.c": {
        "xla.cpu.CopyThunkProto": {
            "COPY_SOURCE": f"src_buffer_shape: {SHAPE_AND_SLICE}",
            "COPY_DESTINATION": f"dst_buffer_shape: {SHAPE_AND_SLICE}",
        },
        "xla.ShapeProto": {"SHAPE_LAYOUT": "layout: xla.LayoutProto"},
        "xla.LayoutProto": {"LAYOUT_MINOR_TO_MAJOR": "minor_to_major: repeated int64"},
    },
    "direct/thunks_lists.c": {
        SHAPE_AND_SLICE: {
            "SHAPE_AND_SLICE_SHAPE": "shape: xla.ShapeProto",
            "SHAPE_AND_SLICE_SLICE": f"slice: {SLICE}",
        },
    },
    "direct/thunks_sort.c": {
        "xla.cpu.SortThunkProto": {
            "SORT_DIMENSION": "dimension: int64",
            "SORT_IS_STABLE": "is_stable: bool",
            "SORT_DIRECTION": "direction: xla.cpu.SortDirectionOptional",
            "SORT_COMPARATOR": "comparator_name: string",
            "SORT_ARRAYS": f"inputs_shapes: repeated {SHAPE_AND_SLICE}",
        },
        "xla.cpu.SortDirectionOptional": {
            "DIRECTION_VALUE": "value: xla.cpu.SortDirectionProto",
            "DIRECTION_IS_KNOWN": "contains_value: bool",
        },
        "xla.cpu.TopKThunkProto": {
            "TOP_K_NUM_ROWS": "batch_size: int64",
            "TOP_K_COUNT": "input_size: int64",
            "TOP_K_K": "k: int64",
            "TOP_K_VALUES": f"values_buffer: {SLICE}",
            "TOP_K_LARGEST": f"output_buffer: {SLICE}",
            "TOP_K_INDICES": f"indices_buffer: {SLICE}",
        },
    },
}

# The constants of the same enums that are values of XLA's.
VALUES = {
    "direct/thunks_custom_call.c": {
        "TYPED_FFI": ("xla.CustomCallApiVersion", "API_VERSION_TYPED_FFI"),
    },
    "direct/comparator.c": {
        "KIND_COMPARATOR": ("xla.cpu.SymbolProto.FunctionTypeId", "COMPARATOR"),
    },
    "direct/direct.c": {
        "KIND_KERNELS": ("xla.cpu.CompilationResultProto.ObjFileKind", "KERNELS"),
    },
    "direct/thunks_sort.c": {
        "ASCENDING": ("xla.cpu.SortDirectionProto", "ASCENDING"),
        "DESCENDING": ("xla.cpu.SortDirectionProto", "DESCENDING"),
    },
}

# The types of arrays: XLA's name, and the field of a literal that holds the elements.
ELEMENTS = {
    "BOOL": ("PRED", "preds: repeated bool"),
    "INT8": ("S8", "s8s: bytes"),
    "INT16": ("S16", "s16s: bytes"),
    "INT32": ("S32", "s32s: repeated int32"),
    "INT64": ("S64", "s64s: repeated int64"),
    "UINT8": ("U8", "u8s: bytes"),
    "UINT16": ("U16", "u16s: bytes"),
    "UINT32": ("U32", "u32s: repeated uint32"),
    "UINT64": ("U64", "u64s: repeated uint64"),
    "FLOAT16": ("F16", "f16s: bytes"),
    "FLOAT32": ("F32", "f32s: repeated float"),
    "FLOAT64": ("F64", "f64s: repeated double"),
    "BFLOAT16": ("BF16", "bf16s: bytes"),
    "COMPLEX64": ("C64", "c64s: repeated float"),
    "COMPLEX128": ("C128", "c128s: repeated double"),
}

# The enums that follow a comment which says that they are fields.
BLOCK = re.compile(
    r"^/\* (?:The f|F)ields of (?:(?!\*/).)*\*/\n"
    r"((?:enum \{[^}]*\};(?: /\*[^\n]*\*/)?\n)+)",
    re.MULTILINE | re.DOTALL,
)
CONSTANT = re.compile(r"(\w+) = (\d+)")

# Where sources read a field by its number. No message is read without one of these.
READ = re.compile(
    r"cyxla_wire_(?:value|content|count|numbers)\(((?:[^(),]|\([^()]*\))*),\s*([^,)]*)"
    r"|field\.number (?:==|!=|<|>|<=|>=) ([\w>-]+)"
)
# Numbers that a function or a table has from elsewhere in the source.
PASSED = {"number", "without", "kind->field", "0"}

ELEMENT = re.compile(r"\{(?:\(cyxla_dtype\)0|CYXLA_(\w+)), (\d+), \d+, \w+\}")


def constants(source):
    """The constants of a source that are fields, with their numbers."""
    blocks = BLOCK.findall((SOURCES / source).read_text())
    return {name: int(number) for name, number in CONSTANT.findall("".join(blocks))}


def numbers_read(source):
    """What a source says where it reads a field by its number."""
    for found in READ.finditer((SOURCES / source).read_text()):
        yield (found[2] if found[1] else found[3]).strip()


def sources_that_read():
    """All sources that read messages, but for what reads the wire format itself."""
    paths = [*SOURCES.glob("*.c"), *SOURCES.glob("direct/*.c")]
    names = {path.relative_to(SOURCES).as_posix() for path in paths} - {"wire.c"}
    return {name for name in names if constants(name) or [*numbers_read(name)]}


def elements():
    """The type and the literal's field of each number of xla.PrimitiveType."""
    found = ELEMENT.findall((SOURCES / "direct/literal.c").read_text())
    return {i: (name, int(field)) for i, (name, field) in enumerate(found)}
