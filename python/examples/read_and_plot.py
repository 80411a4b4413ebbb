"""Reading and plotting results: write a run to a file, read it back, draw it.

Diagrams come from the library (SVG); with matplotlib and pandas, if they are there, the same arrays go on
without a copy.

Expected: files crank.h5, crank.csv, crank.svg in the current folder.
"""
import os

import numpy as np

from trammel import Model, Result

MODELS = os.environ.get("TRAMMEL_MODELS", os.path.join(os.path.dirname(__file__), "..", "..", "models"))


def main():
    run = Model.load(os.path.join(MODELS, "slider_crank.yaml")).run()
    run.write("crank.h5")
    run.write("crank.csv")

    result = Result.load("crank.h5")  # the values stay in the memory of the library
    print(result)
    bodies = sorted({name.split(".")[0] for name in result.find("*.vx")})
    print("bodies:", ", ".join(bodies))
    speeds = {body: np.hypot(result[f"{body}.vx"], result[f"{body}.vy"]) for body in bodies}
    for body, speed in speeds.items():
        at = speed.argmax()
        print(f"  {body:8} fastest at {result.t[at]:.3f} s: {speed[at]:.3f} m/s")
    result.plot(*(f"{body}.x" for body in bodies), path="crank.svg")

    try:
        frame = result.to_pandas()
        print("pandas shares the memory:", np.shares_memory(frame.to_numpy(), result.values))
    except ImportError:
        print("pandas is not installed")
    assert Result.load("crank.csv").values.tobytes() == result.values.tobytes()
    return result


if __name__ == "__main__":
    main()
