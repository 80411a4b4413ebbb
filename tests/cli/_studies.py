"""A study of pendulums, and what its tables hold; for the tests of trammel study."""
import os

from common import PENDULUM, read, remove, write

MODEL = PENDULUM.replace("end: 0.5, output_step: 0.01, step: 1e-3", "end: 0.2, output_step: 0.01, step: 5e-3")
STUDY = """\
title: Pendulums
model: m.yaml
sampling: {method: sobol, members: 16}
parameters:
  L: {from: 0.5, to: 2}
quantities:
  low: {of: height, take: min}
  when: {of: height, take: time_of_min}
  last: {of: height}
  share: (last - L)/L
"""
NAMES = ("s.csv", "s.h5", "s.journal")


def rows(name):
    """Lines of a table without the last column, as numbers."""
    lines = read(name).splitlines()
    assert lines[0].endswith(",message")
    return [[float(x) for x in line.split(",")[:-1]] for line in lines[1:]]


def begin():
    """The model and the study in a folder without results of others."""
    for name in os.listdir("."):
        if not os.path.isdir(name):
            remove(name)
    write("m.yaml", MODEL)
    write("s.yaml", STUDY)
