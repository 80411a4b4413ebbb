"""Pages of trammel view in Firefox: drawn, in motion, and with the numbers of the result. Chromium does the
whole of it in test_view.py. TRAMMEL_SHOTS names a folder for pictures."""
import os
import pathlib
import shutil
import sys
import unittest

from common import PATIENCE, SOURCE, Case, main, skip_if_slow, table

sys.path.insert(0, os.path.join(SOURCE, "tests", "view", "browser"))
from marionette import Firefox  # pylint: disable=wrong-import-position

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")
XVFB = shutil.which("Xvfb")

# a body that moves, a joint
MODELS = (("hmmwv", "chassis", "lower_ball_f2"), ("trammel_of_archimedes", "bar", "x_pin"),
          ("redundant_bricard", "rod3", "P3"), ("beam_flying_planar", "beam", None))

# the share of pixels of the scene that differ from its corner
DRAWN = """
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [160, 100];
    const context = copy.getContext("2d");
    window.viewer.setTime(window.viewer.state.time);
    return new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(() => {
      context.drawImage(document.querySelector("#canvas canvas"), 0, 0, 160, 100);
      const p = context.getImageData(0, 0, 160, 100).data;
      let other = 0;
      for (let i = 0; i < p.length; i += 4)
        if (Math.abs(p[i] - p[0]) + Math.abs(p[i + 1] - p[1]) + Math.abs(p[i + 2] - p[2]) > 40) other++;
      go(other / (p.length / 4));
    })));"""


@skip_if_slow("the browser is not instrumented")
@unittest.skipUnless(FIREFOX and XVFB, "needs firefox-esr and Xvfb")
class Pages(Case):
    cost = 30  # [s]

    def test_models(self):
        firefox = Firefox(FIREFOX, XVFB, PATIENCE)
        try:
            for model, body, joint in MODELS:
                with self.subTest(model=model):
                    end = ("--end", "0.3") if model.startswith("beam") else ()
                    self.good("run", os.path.join(SOURCE, "models", model + ".yaml"), "-q", "-o", "r.h5",
                              "--csv", "r.csv", *end)
                    self.good("view", "r.h5", "-q")
                    self.look(firefox, table("r.csv"), body, joint)
                    if model == "hmmwv":
                        self.look_at_contacts(firefox, table("r.csv"))
                    if os.environ.get("TRAMMEL_SHOTS"):
                        firefox.picture(os.path.join(os.environ["TRAMMEL_SHOTS"], f"firefox_{model}.png"))
        finally:
            firefox.close()

    def look_at_contacts(self, firefox, rows):
        """Four tyres press on the road with their forces, where the wheels are."""
        firefox.click('button[data-toggle="contacts"]')
        firefox.ask("""viewer.setTime(viewer.state.end); viewer.draw(); return true;""")
        arrows = firefox.ask("return viewer.state.arrows;")
        self.assertEqual(len(arrows), 4)
        for arrow in arrows:
            self.assertEqual(arrow["load"], "contacts")
            for k, c in enumerate("xyz"):
                self.assertAlmostEqual(arrow["begin"][k], rows[f"{arrow['name']}.point_{c}"][-1], delta=1e-5)
            self.assertAlmostEqual(arrow["size"] / rows[arrow["name"] + ".force"][-1], 1, delta=1e-5)

    def look(self, firefox, rows, body, joint):
        firefox.open(pathlib.Path("r.html").absolute().as_uri())
        firefox.wait("return window.viewer !== undefined;")
        self.assertGreater(firefox.ask(DRAWN), 0.004)
        self.assertIn(body, firefox.ask("return [...viewer.names('body'), ...viewer.names('beam')];"))
        before = firefox.ask(f"return viewer.positionOf('{body}');")
        firefox.click("button.play")
        firefox.wait("return viewer.state.time > viewer.state.end * 0.01;")
        firefox.click("button.play")
        self.assertFalse(firefox.ask("return viewer.state.playing;"))
        self.assertNotEqual(firefox.ask(f"return viewer.positionOf('{body}');"), before)
        if joint is None:
            return
        row = len(rows["t"]) // 3
        firefox.ask(f"""for (const r of document.querySelectorAll(".tree .row"))
            if (r.firstChild.textContent === "{joint}") r.click();
            viewer.setTime({rows["t"][row]}); return true;""")
        self.assertEqual(firefox.ask("return viewer.state.selected;"), joint)
        shown = firefox.ask("""return [...document.querySelectorAll(".page:not(.hidden) tr[data-channel]")]
            .map((r) => [r.dataset.channel, r.cells[1].textContent]);""")
        values = {c: rows[c][row] for c, _ in shown if c in rows}
        self.assertGreater(len(values), 0)
        scale = max(map(abs, values.values()))
        for channel, text in shown:
            # six digits, and 24 bits of the largest value of the channel
            self.assertAlmostEqual(float(text), values[channel], delta=1e-5 * max(scale, 1e-30))


if __name__ == "__main__":
    main()
