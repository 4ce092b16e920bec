"""What scipy finds for the histograms of histograms.txt, as lines `model parameter value`.

Run as `python check.py` (needs scipy); `python check.py draw` draws the histograms anew from the parameters
of the thesis, with noise. Starts at these parameters, so that scipy's local methods find their minimum; our
fits are not told where to start.
"""

import pathlib
import sys

import numpy as np
from scipy import optimize, stats

HERE = pathlib.Path(__file__).parent
beta = stats.beta.pdf


def beta_normal(x, a1, b1, a2, b2, c, d, e, mu, sigma):
    return c * (d * beta(x / 36, a1, b1) + (1 - d) * beta(x / 36, a2, b2)) + (1 - c) * stats.norm.pdf(
        e * x / 36, mu, sigma
    )


def three_betas(x, a1, b1, a2, b2, a3, b3, c):
    return c / 3 * (beta(x / 36, a1, b1) + beta(x / 36, a2, b2) + beta(x / 36, a3, b3))


def one_beta(x, a, b, c):
    return c * beta(x / 79, a, b)


def writer(x, p):
    return (1 - p) ** (x - 1) * p


def stratified(x, s, short, long):
    return s * writer(x, short) + (1 - s) * writer(x, long)


def hypergeometric(x, k, m):
    return stats.betabinom.pmf(x - 1, 17, m, k - m)


# Name: function, names of parameters, the thesis' values, positions, observations (0: a curve).
MODELS = {
    "BetaNormal": (
        beta_normal,
        "a1 b1 a2 b2 c d e mu sigma".split(),
        (68.03, 132.5, 4.034, 54.49, 0.015, 0.64, 78.87, 28.65 - 7.834, 6.489),
        np.arange(1, 37),
        10_000_000,
    ),
    "ThreeBetas": (
        three_betas,
        "a1 b1 a2 b2 a3 b3 c".split(),
        (64.08, 147.9, 2.596, 32.33, 10.7, 30.45, 0.025),
        np.arange(1, 37),
        10_000_000,
    ),
    "Beta": (one_beta, ["a", "b", "c"], (1.926, 6.356, 0.013), np.arange(1, 80), 1_000_000),
    "RandomWriter": (writer, ["P_T(N)"], (0.3145,), np.arange(1, 41), 70_000),
    "StratifiedWriter": (
        stratified,
        ["P_N(S)", "P_S(N)", "P_L(N)"],
        (0.7586, 0.3968, 0.04369),
        np.arange(1, 251),
        70_000,
    ),
    "Zipf": (lambda x, c, b: c * x**-b, ["C", "b"], (1.086, 0.7028), np.arange(1, 201), 0),
    "RatioPowerLaw": (
        lambda x, c, a: c * (x / (1 - x)) ** -a,
        ["c", "a1"],
        (0.01, 0.39),
        np.arange(1, 100) / 100,
        0,
    ),
    "Lavalette": (
        lambda x, c, a: c * (200 * x / (201 - x)) ** -a,
        ["C", "a1"],
        (100.0, 0.7408),
        np.arange(1, 201),
        0,
    ),
    "MenzerathAltmann": (
        lambda x, c, a, d: c * x**a + d,
        ["C", "a1", "d"],
        (-0.005, 0.51, 1.0),
        np.arange(1, 201),
        0,
    ),
    "GeneralMenzerathAltmann": (
        lambda x, c, a0, a1, a2, d: c * x**a1 * np.exp(-a0 * x - a2 / x) + d,
        ["C", "a0", "a1", "a2", "d"],
        (0.7, 0.01, -0.4, 0.5, 0.1),
        np.arange(1, 201),
        0,
    ),
    # The counts of Figure 4.12.
    "NegativeHypergeometric": (hypergeometric, ["K", "M"], (2.30454, 0.10989), np.arange(1, 19), 2334),
}


def draw():
    random = np.random.default_rng(2011)
    lines = []
    for name, (function, _, truth, x, observations) in MODELS.items():
        y = function(x, *truth)
        if name == "NegativeHypergeometric":
            y = np.array([1802, 180, 92, 80, 34, 36, 24, 18, 14, 16, 12, 12, 4, 2, 4, 2, 0, 2])
        elif observations:
            y = random.poisson(y / y.sum() * observations)
        else:
            y = np.round(y * (1 + 0.002 * random.standard_normal(len(x))), 9)
        lines.append(name + " " + " ".join(f"{a}:{b}" for a, b in zip(x, y)))
    (HERE / "histograms.txt").write_text("\n".join(lines) + "\n")


def pooled(observed, expected):
    classes, rest = [], np.zeros(2)
    for pair in zip(observed[::-1], expected[::-1]):
        rest = rest + pair
        if rest[1] >= 1:
            classes.append(rest)
            rest = np.zeros(2)
    classes[-1] = classes[-1] + rest
    return np.array(classes).T


def fit(name, x, y):
    function, names, start, _, observations = MODELS[name]
    found = []
    if name == "NegativeHypergeometric":
        def chi_squared(at):
            o, e = pooled(y, y.sum() * function(x, at[0], at[1]))
            return ((o - e) ** 2 / e).sum()

        at = optimize.minimize(
            chi_squared, start, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 9999}
        ).x
        o, _ = pooled(y, y.sum() * function(x, *at))
        statistic = chi_squared(at)
        found += [("chi-squared", statistic), ("probability", stats.chi2.sf(statistic, len(o) - 4))]
        y = y / y.sum()
    else:
        if observations:
            y = y / y.sum()
        at = optimize.least_squares(
            lambda t: function(x, *t) - y, start, x_scale=np.abs(start), ftol=1e-15, xtol=1e-15, gtol=1e-15, max_nfev=99999
        ).x
    squares = ((function(x, *at) - y) ** 2).sum()
    total = ((y - y.mean()) ** 2).sum()
    found += list(zip(names, at)) + [("R2", 1 - squares / total), ("RMSE", (squares / (len(x) - len(at))) ** 0.5)]
    if name == "StratifiedWriter":
        likely = optimize.minimize(
            lambda t: -(y * np.log(function(x, *t))).sum(), start, method="Nelder-Mead",
            options={"xatol": 1e-11, "fatol": 1e-15, "maxiter": 99999},
        )
        found += [("likely " + n, v) for n, v in zip(names, likely.x)] + [("log-likelihood", -likely.fun)]
    return found


if "draw" in sys.argv:
    draw()
for line in (HERE / "histograms.txt").read_text().splitlines():
    name, *points = line.split()
    x, y = np.array([[float(value) for value in point.split(":")] for point in points]).T
    for parameter, value in fit(name, x, y):
        print(f"{name}\t{parameter}\t{value:.12g}")
