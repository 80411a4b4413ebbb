"""State-space methods at fixed steps that their first matrix does not reach."""
import os

from common import Case, SOURCE, main, run, table


class FixedSteps(Case):
    def end(self, model, step, method, *options):
        p = run("run", os.path.join(SOURCE, "models", model), "--step", step, "--method", method, "--csv",
                "fixed.csv", "--channels", "*.x,*.y,*.wz", *options)
        self.assertEqual(p.returncode, 0, p.stderr)  # long steps may get a warning about the energy
        return {name: column[-1] for name, column in table("fixed.csv").items()}

    def test_full_derivatives(self):
        """infl-trap and ssp-trap solve the same equations of the trapezoidal rule, in other unknowns."""
        for model, step in (("four_bars.yaml", "0.05"), ("andrews.yaml", "5e-4")):
            with self.subTest(model=model):
                full = self.end(model, step, "infl-trap", "--jacobian", "full")
                other = self.end(model, step, "ssp-trap")
                for name, value in other.items():
                    # both are iterated until corrections of velocities are below 1e-8 of the speed
                    self.assertAlmostEqual(full[name], value, delta=1e-6 * (1 + abs(value)), msg=name)

    def test_no_solution(self):
        """The trapezoidal rule has no solution that continues the motion: docs/theory/state-space.md."""
        path = os.path.join(SOURCE, "models", "four_bar.yaml")
        for options in (("ssp-trap",), ("infl-trap", "--jacobian", "full")):
            with self.subTest(options=options):
                p = self.bad(1, "run", path, "--step", "0.05", "--out", "none", "--method", *options)
                self.assertIn("need not have one that continues the motion", p.stderr)
                self.assertIn("The step is fixed at 0.05 s", p.stderr)


if __name__ == "__main__":
    main()
