"""Constraints that repeat others, as test_redundant.py, at full length: the lift of 100 cells over the 2 s of its file."""
import unittest

from test_redundant import Lift


class LongLift(Lift):
    end = 2

    def motion(self, model, out, *options):
        c, r = super().motion(model, out, *options)
        self.assertGreater(max(c["height"]) - min(c["height"]), 1.5)
        return c, r


del Lift  # its own run is the short one

if __name__ == "__main__":
    unittest.main()
