"""The audit of impacts, friction and jumps (scripts/mechanisms/audit.py): it finds no fault in a run, and
each that is put into its results."""
import copy
import os
import re
import subprocess
import sys

from common import SOURCE, Case, main, run

sys.path.insert(0, os.path.join(SOURCE, "scripts", "mechanisms"))
import audit  # noqa: E402  pylint: disable=wrong-import-position
import generate  # noqa: E402  pylint: disable=wrong-import-position
import judge  # noqa: E402  pylint: disable=wrong-import-position
import locked  # noqa: E402  pylint: disable=wrong-import-position

ADMITTED = judge.ADMITTED
LIMIT = 1000054  # strikes a limit of a joint
SPHERE = 1000024  # a sphere with friction strikes a plane, in a mechanism with a loop
FRICTION = 1000032  # friction of a joint that slips and sticks
JUMP = 1000014  # a driver that jumps, in a mechanism with a loop
ONE_WAY = 1020349  # strikes a plane nearly across the line on which a joint holds it
STIFF = 1020413  # friction that sticks, at a body that a stiff bushing holds
RESTS = 1020189  # a sphere comes to rest on a plane that moves
BOUNCES = 1010563  # comes to rest between two stops, with many impacts between two rows
PRESSED = 1002058  # a driver presses a body between the floor and a limit
JAMMED = 1002248  # a driver carries the pivot of a body whose tip digs into the floor
JAMMED_IN_SPACE = 1002158
SQUEEZED = 1021241  # a driver presses a floor against a box that can only turn
DEAD_POINT = 1021197  # a light crank turns a heavy body round within a microsecond, which loads its friction
LOCKS_UP = (1120364, "j5")  # a driver of a loop; and one that presses a body against a limit
PRESSES = (1121402, "j4")

DAMPER = 1190395  # a limit is struck by a light body whose damper takes its motion in 4e-5 s
VISCOUS = 1122666  # the same, with viscous friction in the joint of the light crank


class Audit(Case):
    cost = 25  # [s]
    results = {}  # of a seed, made once

    def load(self, seed):
        """Mechanism and results of a seed, to be spoilt."""
        if seed not in self.results:
            command = [sys.executable, "-B", os.path.join(SOURCE, "scripts", "campaign"), "--seeds",
                       str(seed), "--write", "."]
            subprocess.run(command, check=True)
            made = generate.mechanism(seed)
            p = run("run", f"mechanism_{seed}.yaml", "--csv", f"{seed}.csv", "--out", "none", "--channels",
                    "*", "--output-step", repr(made.end / 2000))
            self.assertEqual(p.returncode, 0, p.stderr)
            self.results[seed] = made, judge.Table(f"{seed}.csv", made)
        made, table = self.results[seed]
        return made, copy.deepcopy(table)

    def audit(self, made, table):
        rows = judge.energy_rows(made, table)
        work = max(abs(x) for x in table.columns["energy.dissipated"])
        admitted = ADMITTED * judge.admitted_energy(made, table, made.tol, rows, work)
        return audit.judge(made, table, made.tol, admitted, False)

    def faults(self, made, table):
        return " ".join(self.audit(made, table).faults)

    @staticmethod
    def first_impact(table, name):
        sums = table.columns[f"{name}.impulse"]
        return next(k for k in range(len(sums)) if sums[k + 1] != sums[k])

    def test_no_fault(self):
        seen = {}
        for seed in (LIMIT, SPHERE, FRICTION, JUMP, BOUNCES, DEAD_POINT, VISCOUS, DAMPER):
            found = self.audit(*self.load(seed))
            self.assertEqual(found.faults, [], f"seed {seed}")
            seen[seed] = found.seen
        self.assertGreater(seen[LIMIT]["impact"], 0)
        self.assertGreater(seen[SPHERE]["impact"], 1)
        self.assertGreater(seen[JUMP]["jump"], 0)
        self.assertGreater(min(seen[FRICTION]["slip"], seen[FRICTION]["stick"]), 100)

    def slow_down(self, seed, name, factor):
        """Velocities behind an impact, times a factor."""
        made, table = self.load(seed)
        for row in table.velocities[self.first_impact(table, name) + 1:]:
            row[:] = [tuple(tuple(factor * x for x in v) for v in body) for body in row]
        return self.faults(made, table)

    def test_dead_stop_at_an_impact(self):
        self.assertRegex(self.slow_down(LIMIT, "l1", 0.0), "its restitution is")

    def test_impact_that_gains_energy(self):
        self.assertRegex(self.slow_down(LIMIT, "l1", 1.5), "kinetic energy grows")

    def test_impulse_of_nothing(self):
        """The velocity of one body alone changes: no joint and no point can do that."""
        made, table = self.load(SPHERE)
        k = self.first_impact(table, "c1")
        for row in table.velocities[k + 1:]:
            (v, w), *_ = row
            row[0] = (v, tuple(x + 2 * audit.norm(row[0][0]) / made.length for x in w))
        self.assertRegex(self.faults(made, table), "neither joints nor")

    def test_impact_that_nothing_books(self):
        made, table = self.load(LIMIT)
        table.columns["l1.impulse"] = [0.0] * len(table.t)
        self.assertRegex(self.faults(made, table), "kinetic energy jumps .* without an impact")

    def test_dead_point_with_too_much_friction(self):
        """The heavy body keeps a part of its speed only: more than its friction takes."""
        made, table = self.load(DEAD_POINT)
        T = table.columns["energy.kinetic"]
        c = table.columns["c1.impulse"]
        k = max((k for k in range(len(T) - 1) if c[k + 1] == c[k]), key=lambda k: T[k] - T[k + 1])
        for row in table.velocities[k + 1:]:
            row[1] = tuple(tuple(0.5 * x for x in v) for v in row[1])
        self.assertRegex(self.faults(made, table), "'c1': friction of .* N s at")

    def test_friction_impulse_beyond_the_cone(self):
        made, table = self.load(SPHERE)
        for contact in made.contacts:
            contact["friction"] *= 0.2
        found = self.faults(made, table)
        for contact in made.contacts:
            contact["friction"] /= 0.2
        self.assertRegex(found, "friction of .* N s at")

    def test_normal_along_the_tangent(self):
        """A joint leaves a struck point one direction: how its impulse divides into pressure and friction
        does not follow from the motion, so that none is beyond the cone that one within it explains."""
        made, table = self.load(ONE_WAY)
        found = self.audit(made, table)
        self.assertEqual(found.faults, [])
        self.assertGreater(found.seen["impact"], 1)
        rows = [[1.0, 0.0], [-1.0, 1e-4], [0.0, 0.0]]
        self.assertLess(audit.distance_from_cone([1.0, 0.0], rows, 0.5), 1e-4)
        self.assertGreater(audit.distance_from_cone([0.0, 1.0], rows, 0.5), 0.9)

    def test_beyond_a_limit(self):
        made, table = self.load(LIMIT)
        limit = made.limits[0]
        key = next(key for key in ("lower", "upper") if key in limit)
        kept = limit[key]
        value = audit.limit_row(limit, table.pose(self.first_impact(table, "l1")))[0]
        limit[key] = 0.5 * (value + audit.limit_row(limit, table.pose(0))[0])
        found = self.faults(made, table)
        limit[key] = kept
        self.assertRegex(found, "beyond the limit")

    @staticmethod
    def press(made, table, lengths):
        """Move the body of the contact into the other."""
        contact = made.contacts[0]
        for k, row in enumerate(table.poses):
            body, n = contact["body"], audit.touching(contact, table.pose(k), made.planar)[1]
            down = audit.scale(-lengths * made.length, n)
            row[body] = audit.Pose(tuple(x + y for x, y in zip(row[body].p, down)), row[body].R)

    def test_overlap(self):
        made, table = self.load(SPHERE)
        self.press(made, table, 1.0)
        self.assertRegex(self.faults(made, table), "overlaps by")

    def test_rest_within_steps(self):
        """What rests on another is interpolated within steps: to the accuracy of motion. At their ends it is
        as good as a joint."""
        made, table = self.load(RESTS)
        contact = made.contacts[0]
        gaps = [min(gap for gap, _ in audit.touching(contact, table.pose(k), made.planar)[0])
                for k in range(len(table.t))]
        self.assertLess(min(gaps), -1.5 * made.tol * made.length)  # or the case tells nothing
        found = audit.Audit(made, table, made.tol, False)
        found.judge_gaps()
        self.assertEqual(found.faults, [])
        self.press(made, table, 1.5 * made.tol)
        found.judge_gaps()
        self.assertNotEqual(found.faults, [])

    def test_friction_with_the_motion(self):
        made, table = self.load(FRICTION)
        table.columns["r1.force"] = [-x for x in table.columns["r1.force"]]
        self.assertRegex(self.faults(made, table), "'r1' slips at")

    def test_stick_that_is_too_strong(self):
        made, table = self.load(FRICTION)
        made.frictions[0]["coulomb"] *= 0.01
        static = made.frictions[0].pop("static", None)
        found = self.faults(made, table)
        made.frictions[0]["coulomb"] *= 100
        if static is not None:
            made.frictions[0]["static"] = static
        self.assertRegex(found, "'r1' sticks at")

    def test_stick_beside_a_stiff_spring(self):
        """A bushing of 4e5 N/m changes its force by more than friction holds within the tolerance of
        positions: that much, and no more, the force of stick may be beyond its bound."""
        made, table = self.load(STIFF)
        found = audit.Audit(made, table, made.tol, False)
        found.judge_friction()
        self.assertEqual(found.faults, [])
        at = next(k for k, x in enumerate(table.columns["r1.sticks"]) if x)
        force = 1.1 * (made.frictions[0]["static"] + found.doubt_of_force(made.frictions[0], at))
        table.columns["r1.force"][at] = force
        found.judge_friction()
        self.assertRegex(" ".join(found.faults), "'r1' sticks at")
        made, table = self.load(FRICTION)  # without springs at its joint: nothing more than its bound
        found = audit.Audit(made, table, made.tol, False)
        self.assertEqual(found.doubt_of_force(made.frictions[0], 1), 0.0)

    def test_loss_that_comes_back(self):
        made, table = self.load(LIMIT)
        loss = table.columns["energy.contact_loss"]
        k = self.first_impact(table, "l1")
        loss[k + 50:] = [0.0] * len(loss[k + 50:])
        self.assertRegex(self.faults(made, table), "impacts give .* J back")

    def test_energy_that_nothing_supplies(self):
        """As when an impact's loss is booked as the work of a law that does not exist."""
        made, table = self.load(LIMIT)
        k = self.first_impact(table, "l1")
        lost = max(table.columns["energy.contact_loss"])
        for name in ("supplied", "dissipated"):
            sign = -1 if name == "supplied" else 1
            column = table.columns[f"energy.{name}"]
            column[k + 1:] = [x + sign * lost for x in column[k + 1:]]
        self.assertRegex(self.faults(made, table), "booked as supplied that nothing supplies")

    def test_jump_of_a_driver_that_turns_what_it_does_not_hold(self):
        """A rotor spins faster behind the jump: its bearing has no torque about its axis."""
        made, table = self.load(JUMP)
        k = next(i for i, t in enumerate(table.t) if t > audit.Audit(made, table, made.tol, False).jumps[0])
        for row in table.velocities[k:]:
            v, w = row[-1]
            row[-1] = (v, tuple(1.5 * x for x in w))
        self.assertRegex(self.faults(made, table), "neither joints nor")


class Locked(Case):
    """Impacts that nothing can stop (scripts/mechanisms/locked.py), and the same without what hinders."""
    cost = 5  # [s]

    def impact(self, seed, change=lambda made: None, kernels=""):
        """kernels: of OpenBLAS (empty: those of this processor), for another round-off."""
        made = generate.mechanism(seed)
        subprocess.run([sys.executable, "-B", os.path.join(SOURCE, "scripts", "campaign"), "--seeds",
                        str(seed), "--write", "."], check=True)
        p = run("run", f"mechanism_{seed}.yaml", "--csv", f"{seed}.csv", "--out", "none", "--channels", "*",
                "--output-step", repr(made.end / 2000), env=dict(os.environ, OPENBLAS_CORETYPE=kernels))
        self.assertEqual(p.returncode, 2, p.stderr)
        found = re.search(r"force '(\w+)' is struck at t = (\S+) s .* do not let it stop .* give the limit "
                          "or contact a stiffness", p.stderr)
        self.assertTrue(found, p.stderr)
        change(made)
        return locked.Impact(made, judge.Table(f"{seed}.csv", made), found.group(1), float(found.group(2)))

    def test_pressed(self):
        def free(made):
            made.contacts = []
        self.assertIs(self.impact(PRESSED).has_solution(), False)
        self.assertIs(self.impact(PRESSED, free).has_solution(), True)

    def test_squeezed(self):
        def free(made):
            made.joints = [j for j in made.joints if j["type"] != "driver"]
        self.assertIs(self.impact(SQUEEZED).has_solution(), False)
        self.assertIsNot(self.impact(SQUEEZED, free).has_solution(), False)

    def test_friction_of_a_joint(self):
        """The law of one normal and one friction that reactions load, by hand."""
        def solutions(c, W, b, forces):
            law = locked.Law([([], [], 0.0)], W, b, (c, forces))
            found = []
            for law.rubbing in locked.RUBBING:
                found += [(law.rubbing, state) for state in ("open", "sticks") if law.try_states((state,))]
            return found
        W, normal = [[1.0, 0.5], [0.5, 1.0]], [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
        # slips: p_N - 0.5 c p_N = 1, T = -c p_N, and goes on with u > 0
        self.assertEqual(solutions(0.5, W, [-1.0, 2.0], normal), [("forward", "sticks")])
        self.assertEqual(solutions(0.5, W, [-1.0, -2.0], normal), [("backward", "sticks")])
        # holds: p = (1.5, -1) stops both, and 1 <= 0.9 x 1.5; slip would turn round
        self.assertEqual(solutions(0.9, W, [-1.0, 0.25], normal), [("sticks", "sticks")])
        # the force in the joint is also that of friction: T^2 = c^2 (p_N^2 + T^2)
        both = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
        self.assertEqual(solutions(0.5, W, [-1.0, 2.0], both), [("forward", "sticks")])
        # others hold the normal: nothing stops it
        self.assertEqual(solutions(0.5, [[0.0, 0.0], [0.0, 1.0]], [-1.0, 2.0], normal), [])
        self.assertEqual(locked.quadratic(1.0, -3.0, 2.0), [1.0, 2.0])
        self.assertEqual(locked.quadratic(0.0, 2.0, 1.0), [-0.5])
        self.assertEqual(locked.quadratic(1.0, 0.0, 1.0), [])

    def test_dead_points(self):
        for seed, driver in (LOCKS_UP, PRESSES):
            subprocess.run([sys.executable, "-B", os.path.join(SOURCE, "scripts", "campaign"), "--seeds",
                            str(seed), "--write", "."], check=True)
            p = run("run", f"mechanism_{seed}.yaml", "--csv", f"{seed}.csv", "--out", "none",
                    "--channels", "*")
            self.assertEqual(p.returncode, 1, p.stderr)
            self.assertIn("locks up at t = ", p.stderr)
            made = generate.mechanism(seed)
            table = judge.Table(f"{seed}.csv", made)
            self.assertTrue(locked.is_dead_point(made, table, driver))
            del table.t[-1]  # where it can go on
            self.assertFalse(locked.is_dead_point(made, table, driver))

    def test_jammed(self):
        """Between two slopes that a tip cannot and can slide on."""
        for seed, friction, solution in ((JAMMED, 0.16, False), (JAMMED, 0.12, True),
                                         (JAMMED_IN_SPACE, 0.088, False), (JAMMED_IN_SPACE, 0.0, True)):
            def slippery(made, value=friction):
                for contact in made.contacts:
                    contact["friction"] = value
            with self.subTest(seed=seed, friction=friction):
                self.assertIs(self.impact(seed, slippery).has_solution(), solution)

    def test_impulses_that_grow_beyond_all_numbers(self):
        """Passes that load the friction of a joint diverge: with some kernels until they overflow."""
        for kernels in ("Haswell", "Prescott"):
            self.assertIs(self.impact(JAMMED_IN_SPACE, kernels=kernels).has_solution(), False)


if __name__ == "__main__":
    main()
