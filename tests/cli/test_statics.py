#!/usr/bin/env python3
"""trammel static on what only rigid limits, rigid contacts or friction carry: they have no part in an
equilibrium, and the message says so."""
from common import Case, main, write

LIMIT = """\
planar: true
gravity: 9.81
bodies: {a: {mass: 1, inertia: 1, position: [0, 0.5]}}
joints: {s: {type: prismatic, a: ground, b: a, axis: [0, 1], limits: {lower: 0, restitution: 0}}}
"""
CONTACT = """\
gravity: 9.81
bodies: {a: {mass: 1, inertia: 0.01, position: [0, 0, 0.1]}}
shapes: {a: {type: sphere, radius: 0.1}, floor: {type: plane, at: ground}}
contacts: {hit: {a: a, b: floor, law: rigid, restitution: 0}}
"""
FREE = "bodies: {a: {mass: 1, inertia: 1}}\ngravity: 9.81\n"


class Held(Case):
    def test_reason(self):
        for model in (LIMIT, CONTACT):
            write("m.yaml", model)
            message = self.bad(1, "static", "m.yaml").stderr
            self.assertIn("no static equilibrium found", message)
            self.assertIn("rigid limits, rigid contacts and friction that holds do not count", message)
        write("m.yaml", FREE)
        self.assertNotIn("rigid", self.bad(1, "static", "m.yaml").stderr)


if __name__ == "__main__":
    main()
