"""The closing report of a run as text."""
from __future__ import annotations

from typing import Any

from .records import Record

LABEL = 13  # columns


def line(label: str, text: str) -> str:
    return f"  {label:{LABEL}}{text}\n"


def count(n: int, one: str, many: str) -> str:
    return f"{n:,} {one if n == 1 else many}"


def summary(report: Record, *, title: str, start: float, end: float, event: str | None, sizes: dict[str, int],
            settings: Record) -> str:
    """As `trammel run` prints it: model, method, steps, residuals, energy, time."""
    c = report.count
    if settings.step > 0:
        accuracy = f"fixed step {settings.step:g} s"
    else:
        accuracy = f"rtol {settings.rtol:g}, atol {settings.atol:g}"
        if settings.rtol == settings.atol:
            accuracy = f"tolerance {settings.rtol:g}"
    rejected = c.rejected_error + c.rejected_newton
    text = f"{title}\n" if title else ""
    text += line("model", ", ".join([count(sizes["body"], "body", "bodies"),
                                     count(sizes["joint"], "joint", "joints"),
                                     count(sizes["force"], "force", "forces")]))
    text += line("method", f"{report.method}; {accuracy}")
    if report.reason:
        text += line("", f"chosen by auto: {report.reason}")
    text += line("solver", report.solver)
    text += line("simulated", f"{start:g} .. {end:g} s" + (f", ended by event '{event}'" if event else ""))
    text += line("steps", f"{c.steps:,}, {rejected:,} rejected")
    if c.steps:
        text += line("step size", f"{report.h_min:.3g} .. {report.h_max:.3g} s, mean {report.h_mean:.3g} s")
    for i, sentence in enumerate(report.sentences):
        text += line("redundant" if i == 0 else "", sentence)
    text += line("constraints", f"largest residual of positions {report.position_residual:.1e}, of "
                                f"velocities {report.velocity_residual:.1e}")
    text += line("energy", f"{report.energy_start:g} J at the start, "
                           f"{report.kinetic + report.potential:g} J at the end")
    text += line("", f"balance error {report.energy_error:.1e} J")
    text += line("wall time", f"{report.wall_seconds:.3g} s")
    return text


def of_simulation(sim: Any) -> str:
    """The report of a simulation up to now."""
    built, settings = sim._built, sim.settings
    sizes = {kind: len(built.names(kind)) for kind in ("body", "joint", "force")}
    return summary(sim.report, title=sim.title, start=settings.start, end=sim.t, event=sim.event, sizes=sizes,
                   settings=settings)
