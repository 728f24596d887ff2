"""The cases of ``jax.experimental.sparse``. Sparse matrices are made in the function,
from dense ones, so that arguments are arrays alone."""

import jax
import jax.numpy as jnp
from jax.experimental import sparse
from jax.experimental.sparse import linalg

from sweep import cases
from sweep.cases import COMPLEX, array, case, definite

# Of the matrices that the maker makes: 4 x 6, with 8 elements that are not zero.
SHAPE = (4, 6)
COUNT = 8
MATRIX = cases.sparse(*SHAPE)
MATVEC = (((1,), (0,)), ((), ()))
BATCHED_MATVEC = (((2,), (1,)), ((0,), (0,)))


def bcoo(a, **options):
    return sparse.bcoo_fromdense(a, nse=COUNT, **options)


def bcsr(a):
    return sparse.bcsr_fromdense(a, nse=COUNT)


def coo(a):
    return sparse.coo_fromdense(a, nse=COUNT)


def csr(a):
    return sparse.csr_fromdense(a, nse=COUNT)


def csc(a):
    return sparse.CSC.fromdense(a, nse=COUNT)


def batch(a):
    """The matrix twice, as a batch of sparse ones."""
    return sparse.bcoo_fromdense(jnp.stack([a, a]), nse=COUNT, n_batch=1)


def of_matrix(function, *others, lacks=""):
    """A case of a sparse matrix in the format BCOO."""
    return case(lambda a, *rest: function(bcoo(a), *rest), MATRIX, *others, lacks=lacks)


def duplicated(a):
    """The matrix with every element twice."""
    m = bcoo(a)
    arrays = [jnp.concatenate([x, x]) for x in (m.data, m.indices)]
    return sparse.BCOO(tuple(arrays), shape=m.shape)


def spsolve(a, b):
    matrix = sparse.BCSR.fromdense(a, nse=a.size)
    return linalg.spsolve(matrix.data, matrix.indices, matrix.indptr, b)


BCOO = {
    "BCOO": of_matrix(lambda m, v: m @ v, array(6)),
    "BCOO, matrix": of_matrix(lambda m, b: m @ b, array(6, 2)),
    "BCOO, sparse matrix": case(
        lambda a, b: (bcoo(a) @ bcoo(b).T).todense(), MATRIX, MATRIX, lacks="grad"
    ),
    "bcoo_broadcast_in_dim": of_matrix(
        lambda m: sparse.bcoo_broadcast_in_dim(
            m, shape=(4, 1, 6), broadcast_dimensions=(0, 2)
        ).todense()
    ),
    "bcoo_concatenate": case(
        lambda a, b: sparse.bcoo_concatenate([bcoo(a), bcoo(b)], dimension=0),
        MATRIX,
        MATRIX,
    ),
    "bcoo_conv_general_dilated": case(
        lambda a, b: sparse.bcoo_conv_general_dilated(
            bcoo(a).reshape(1, 1, 24),
            sparse.bcoo_fromdense(b, nse=3).reshape(1, 1, 3),
            window_strides=(1,),
            padding=[(0, 0)],
        ).todense(),
        MATRIX,
        array(3),
    ),
    "bcoo_dot_general": of_matrix(
        lambda m, v: sparse.bcoo_dot_general(m, v, dimension_numbers=MATVEC), array(6)
    ),
    "bcoo_dot_general, batch": case(
        lambda a, b: sparse.bcoo_dot_general(
            batch(a), b, dimension_numbers=BATCHED_MATVEC
        ),
        MATRIX,
        array(2, 6),
    ),
    "bcoo_dot_general_sampled": case(
        lambda a, b, c: sparse.bcoo_dot_general_sampled(
            a, b, bcoo(c).indices, dimension_numbers=MATVEC
        ),
        array(4, 5),
        array(5, 6),
        MATRIX,
    ),
    "bcoo_dynamic_slice": of_matrix(
        lambda m: sparse.bcoo_dynamic_slice(m, (1, 2), (2, 3))
    ),
    "bcoo_extract": case(
        lambda a, b: sparse.bcoo_extract(bcoo(a), b), MATRIX, array(*SHAPE)
    ),
    "bcoo_fromdense": of_matrix(lambda m: m),
    "bcoo_gather": of_matrix(
        lambda m: sparse.bcoo_gather(
            m,
            jnp.array([[0], [2]]),
            jax.lax.GatherDimensionNumbers((1,), (0,), (0,)),
            (1, 6),
        ).todense()
    ),
    "bcoo_multiply_dense": of_matrix(sparse.bcoo_multiply_dense, array(*SHAPE)),
    "bcoo_multiply_sparse": case(
        lambda a, b: sparse.bcoo_multiply_sparse(bcoo(a), bcoo(b)), MATRIX, MATRIX
    ),
    "bcoo_reduce_sum": of_matrix(lambda m: sparse.bcoo_reduce_sum(m, axes=(1,))),
    "bcoo_reshape": of_matrix(lambda m: sparse.bcoo_reshape(m, new_sizes=(8, 3))),
    "bcoo_rev": of_matrix(lambda m: sparse.bcoo_rev(m, (0,))),
    "bcoo_slice": of_matrix(
        lambda m: sparse.bcoo_slice(m, start_indices=(0, 1), limit_indices=(3, 5))
    ),
    "bcoo_sort_indices": of_matrix(lambda m: sparse.bcoo_sort_indices(m.T)),
    "bcoo_squeeze": case(
        lambda a: sparse.bcoo_squeeze(
            sparse.bcoo_fromdense(a[None], nse=COUNT), dimensions=(0,)
        ),
        MATRIX,
    ),
    "bcoo_sum_duplicates": case(
        lambda a: sparse.bcoo_sum_duplicates(duplicated(a), nse=COUNT), MATRIX
    ),
    "bcoo_todense": of_matrix(sparse.bcoo_todense),
    "bcoo_transpose": of_matrix(lambda m: sparse.bcoo_transpose(m, permutation=(1, 0))),
    "bcoo_update_layout": of_matrix(
        lambda m: sparse.bcoo_update_layout(m, n_dense=1, on_inefficient=None)
    ),
}

ROWS = {
    "BCSR": case(lambda a, v: bcsr(a) @ v, MATRIX, array(6)),
    "BCSR, matrix": case(lambda a, b: bcsr(a) @ b, MATRIX, array(6, 2)),
    "bcsr_broadcast_in_dim": case(
        lambda a: sparse.bcsr_broadcast_in_dim(
            bcsr(a), shape=(2, 4, 6), broadcast_dimensions=(1, 2)
        ).todense(),
        MATRIX,
    ),
    "bcsr_concatenate": case(
        lambda a, b: sparse.bcsr_concatenate([bcsr(a), bcsr(b)], dimension=0).todense(),
        MATRIX,
        MATRIX,
    ),
    "bcsr_dot_general": case(
        lambda a, v: sparse.bcsr_dot_general(bcsr(a), v, dimension_numbers=MATVEC),
        MATRIX,
        array(6),
    ),
    "bcsr_extract": case(
        lambda a, b: sparse.bcsr_extract(bcsr(a).indices, bcsr(a).indptr, b),
        MATRIX,
        array(*SHAPE),
    ),
    "bcsr_fromdense": case(bcsr, MATRIX),
    "bcsr_sum_duplicates": case(
        lambda a: sparse.bcsr_sum_duplicates(bcsr(a), nse=COUNT), MATRIX
    ),
    "bcsr_todense": case(lambda a: sparse.bcsr_todense(bcsr(a)), MATRIX),
    "CSR": case(lambda a, v: csr(a) @ v, MATRIX, array(6), lacks="vmap"),
    "csr_fromdense": case(csr, MATRIX, lacks="vmap"),
    "csr_matmat": case(
        lambda a, b: sparse.csr_matmat(csr(a), b), MATRIX, array(6, 2), lacks="vmap"
    ),
    "csr_matvec": case(
        lambda a, v: sparse.csr_matvec(csr(a), v, transpose=True),
        MATRIX,
        array(4),
        lacks="vmap",
    ),
    "csr_todense": case(lambda a: sparse.csr_todense(csr(a)), MATRIX, lacks="vmap"),
    "CSC": case(lambda a, v: csc(a) @ v, MATRIX, array(6), lacks="vmap"),
    "COO": case(lambda a, v: coo(a) @ v, MATRIX, array(6), lacks="vmap"),
    "coo_fromdense": case(coo, MATRIX, lacks="vmap"),
    "coo_matmat": case(
        lambda a, b: sparse.coo_matmat(coo(a), b), MATRIX, array(6, 2), lacks="vmap"
    ),
    "coo_matvec": case(
        lambda a, v: sparse.coo_matvec(coo(a), v, transpose=True),
        MATRIX,
        array(4),
        lacks="vmap",
    ),
    "coo_todense": case(lambda a: sparse.coo_todense(coo(a)), MATRIX, lacks="vmap"),
}


def lobpcg(a, x):
    """The largest eigenvalues, and vectors without their signs, which are anyone's."""
    values, vectors, _ = linalg.lobpcg_standard(a, x, m=5)
    return values, jnp.abs(vectors)


FUNCTIONS = {
    "empty": case(lambda v: sparse.empty((3, 4), dtype=v.dtype) @ v, array(4)),
    "eye": case(lambda v: sparse.eye(3, 4, k=1, dtype=v.dtype) @ v, array(4)),
    "grad": of_matrix(
        lambda m, v: sparse.grad(lambda m: jnp.real(jnp.sum(m @ v)))(m).data, array(6)
    ),
    "jacfwd": of_matrix(
        lambda m, v: sparse.jacfwd(lambda m: jnp.sum(m @ v))(m).data,
        array(6),
        lacks=f"grad, {COMPLEX}",
    ),
    "jacobian": of_matrix(
        lambda m, v: sparse.jacobian(lambda m: jnp.sum(m @ v))(m).data,
        array(6),
        lacks=COMPLEX,
    ),
    "jacrev": of_matrix(
        lambda m, v: sparse.jacrev(lambda m: jnp.sum(m @ v))(m).data,
        array(6),
        lacks=COMPLEX,
    ),
    "random_bcoo": case(
        lambda v: sparse.random_bcoo(jax.random.key(0), (3, 4), dtype=v.dtype) @ v,
        array(4),
        lacks=COMPLEX,
    ),
    "sparsify": of_matrix(
        lambda m, v: sparse.sparsify(lambda m, v: 2 * (m.T @ v))(m, v), array(4)
    ),
    "todense": of_matrix(sparse.todense),
    "value_and_grad": of_matrix(
        lambda m, v: sparse.value_and_grad(lambda m: jnp.real(jnp.sum(m @ v)))(m)[0],
        array(6),
    ),
    "linalg.lobpcg_standard": case(
        lobpcg,
        definite(20),
        array(20, 2),
        lacks=f"grad, {COMPLEX}",
    ),
    "linalg.spsolve": case(spsolve, cases.dominant(4), array(4), lacks="vmap"),
}

CASES = {**BCOO, **ROWS, **FUNCTIONS}
