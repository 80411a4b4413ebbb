"""Constraints that repeat others, as test_redundant.py, at full length: the lift of 100 cells over the 2 s of
its file, 10 and 40 four-bars through the flat position."""
from common import main
from test_redundant import Flat, Lift


class LongLift(Lift):
    end = 2

    def motion(self, model, out, *options):
        c, r = super().motion(model, out, *options)
        self.assertGreater(max(c["height"]) - min(c["height"]), 1.5)
        return c, r


class LongFlat(Flat):
    loops = (10, 40)


del Flat, Lift  # their own runs are the short ones

if __name__ == "__main__":
    main()
