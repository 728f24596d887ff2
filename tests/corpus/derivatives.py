"""Values with gradients, Hessians and Jacobians, as optimizers ask for them."""

import jax
import jax.numpy as jnp

from corpus.record import both, normal, single


def rosenbrock(x):
    return jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def constraint(x):
    return (
        jnp.sin(x[0] * x[1]) + jnp.exp(x[2]) / (1 + x[3] ** 2) - jnp.log(1 + x[0] ** 2)
    )


def value_gradient_hessian(function):
    def evaluate(x):
        return function(x), jax.grad(function)(x), jax.hessian(function)(x)

    return evaluate


def forward_jacobian(x):
    def system(x):
        return jnp.stack([x[0] * jnp.sin(x[1]), x[1] ** 2 * x[2], jnp.exp(x[0] - x[2])])

    return jax.jacfwd(system)(x)


def mapped_polynomial(coefficients, x):
    return jax.vmap(lambda x: jnp.polyval(coefficients, x))(x)


PROGRAMS = [
    *both("rosen_vgh", value_gradient_hessian(rosenbrock), normal(6)),
    *both("nlcons_vgh", value_gradient_hessian(constraint), normal(4)),
    single("jacfwd", forward_jacobian, normal(3)),
    single("vmap_poly", mapped_polynomial, normal(5), normal(20)),
]
