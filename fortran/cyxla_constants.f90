! The numbers of cyxla.h, with the names of C.
module cyxla_constants
  implicit none
  public

  ! What went wrong, as in cyxla.h: codes 1 to 16 are those of PJRT.
  integer, parameter :: CYXLA_OK = 0
  integer, parameter :: CYXLA_CANCELLED = 1
  integer, parameter :: CYXLA_UNKNOWN = 2
  integer, parameter :: CYXLA_INVALID_ARGUMENT = 3
  integer, parameter :: CYXLA_DEADLINE_EXCEEDED = 4
  integer, parameter :: CYXLA_NOT_FOUND = 5
  integer, parameter :: CYXLA_ALREADY_EXISTS = 6
  integer, parameter :: CYXLA_PERMISSION_DENIED = 7
  integer, parameter :: CYXLA_RESOURCE_EXHAUSTED = 8
  integer, parameter :: CYXLA_FAILED_PRECONDITION = 9
  integer, parameter :: CYXLA_ABORTED = 10
  integer, parameter :: CYXLA_OUT_OF_RANGE = 11
  integer, parameter :: CYXLA_UNIMPLEMENTED = 12
  integer, parameter :: CYXLA_INTERNAL = 13
  integer, parameter :: CYXLA_UNAVAILABLE = 14
  integer, parameter :: CYXLA_DATA_LOSS = 15
  integer, parameter :: CYXLA_UNAUTHENTICATED = 16
  integer, parameter :: CYXLA_OUT_OF_MEMORY = 100
  integer, parameter :: CYXLA_FILE_UNREADABLE = 101
  integer, parameter :: CYXLA_FILE_UNWRITABLE = 102
  integer, parameter :: CYXLA_FILE_INVALID = 103
  integer, parameter :: CYXLA_FILE_TOO_NEW = 104
  integer, parameter :: CYXLA_PLUGIN_NOT_FOUND = 105
  integer, parameter :: CYXLA_PLUGIN_UNLOADABLE = 106
  integer, parameter :: CYXLA_PLUGIN_TOO_OLD = 107
  integer, parameter :: CYXLA_PLUGIN_INVALID = 108
  integer, parameter :: CYXLA_PLATFORM_MISMATCH = 109
  integer, parameter :: CYXLA_SIGNATURE_MISMATCH = 110
  integer, parameter :: CYXLA_FORKED = 111
  integer, parameter :: CYXLA_SIZE_NOT_FOUND = 112

  ! The types of elements, with the names of JAX and NumPy.
  integer, parameter :: CYXLA_BOOL = 1
  integer, parameter :: CYXLA_INT8 = 2
  integer, parameter :: CYXLA_INT16 = 3
  integer, parameter :: CYXLA_INT32 = 4
  integer, parameter :: CYXLA_INT64 = 5
  integer, parameter :: CYXLA_UINT8 = 6
  integer, parameter :: CYXLA_UINT16 = 7
  integer, parameter :: CYXLA_UINT32 = 8
  integer, parameter :: CYXLA_UINT64 = 9
  integer, parameter :: CYXLA_FLOAT16 = 10
  integer, parameter :: CYXLA_FLOAT32 = 11
  integer, parameter :: CYXLA_FLOAT64 = 12
  integer, parameter :: CYXLA_BFLOAT16 = 13
  integer, parameter :: CYXLA_COMPLEX64 = 14
  integer, parameter :: CYXLA_COMPLEX128 = 15

  ! How calls run: as CYXLA_TIER says, else directly where that gives the same bits and
  ! costs less; through the plugin; directly, or not at all.
  integer, parameter :: CYXLA_TIER_DEFAULT = 0
  integer, parameter :: CYXLA_TIER_AUTO = 1
  integer, parameter :: CYXLA_TIER_PJRT = 2
  integer, parameter :: CYXLA_TIER_DIRECT = 3

  integer, parameter :: CYXLA_ALIGNMENT = 64
  integer, parameter :: CYXLA_ERROR_MESSAGE_SIZE = 4096
  integer, parameter :: CYXLA_RANK_MAXIMUM = 64
end module cyxla_constants
