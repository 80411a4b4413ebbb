#!/usr/bin/env python3
"""Fixed steps that are far longer than the fastest motion at the start of flexible mechanisms: the drivers
begin with a jump of the acceleration, which dampers and stiff beams pass on within microseconds."""
import os

from common import SOURCE, Case, main, run, table

MODELS = os.path.join(SOURCE, "models")
METHODS = (("genalpha", "--rho", "0"), ("genalpha", "--rho", "0.5"), ("bdf2",))
STEP = 0.01
# model, end [s], channels with the value there by radau5, tolerance 1e-6 (beam_crank: 1e-5), and the error
# that a step of 0.01 s leaves, of which half a step has a quarter. The beam of beam_crank vibrates with a
# period of 0.07 s, and has undamped modes above that.
CASES = (
    ("beam_cam", 0.4, {"impactor.x": (1.22757027, 1e-8), "impactor.y": (-0.16021649, 1e-8),
                       "impactor.vy": (0.61321660, 3e-4)}),
    ("beam_crank", 0.1, {"u1": (-8.783e-5, 5e-6), "u2": (-8.5788e-3, 4e-4), "u3": (6.213e-4, 2e-5)}),
    ("beam_spin_up", 2, {"extension": (-8.177864e-5, 5e-8), "deflection": (-0.10237131, 5e-5)}),
)


def end_of(model, end, names, method, step):
    ran = run("run", os.path.join(MODELS, model + ".yaml"), "--method", *method, "--step", str(step), "--end",
              str(end), "--channels", ",".join(names), "--out", "stiff.csv")
    if ran.returncode != 0:
        return None, ran.stderr
    return table("stiff.csv"), ""


class Start(Case):
    def test_first_steps(self):
        """They run to the end, with errors of second order."""
        for model, end, channels in CASES:
            for method in METHODS:
                with self.subTest(model=model, method=method):
                    found, text = end_of(model, end, list(channels), method, STEP)
                    self.assertIsNotNone(found, text)
                    for name, (want, error) in channels.items():
                        self.assertLess(abs(found[name][-1] - want), error, name)

    def test_round_off(self):
        """At tight tolerances dampers pass on more round-off of positions than a short step may have as
        error: bdf went on with steps of 2e-11 s."""
        ends = []
        for method, tol in (("bdf", "1e-6"), ("radau5", "1e-8")):
            ran = run("run", os.path.join(MODELS, "beam_cam.yaml"), "--method", method, "--tol", tol, "--end",
                      "0.1", "--channels", "impactor.x,impactor.y", "--out", "stiff.csv")
            self.assertEqual(ran.returncode, 0, ran.stderr)
            ends.append([table("stiff.csv")[name][-1] for name in ("impactor.x", "impactor.y")])
        for a, b in zip(*ends):
            self.assertLess(abs(a - b), 1e-8)  # a hundredth of the tolerance: 3e-11 was seen

    def test_message(self):
        """A step of a third of the motion is too much: the message names the start."""
        _, text = end_of("beam_crank", 0.1, ["u1"], METHODS[0], 0.1)
        self.assertIn("It is the first step, and accelerations at the start change within ", text)


if __name__ == "__main__":
    main()
