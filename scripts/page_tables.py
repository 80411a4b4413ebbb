"""The tables of a page: for scripts/recompute, and for scripts that hold a page against its own rows."""
import re

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d{1,3}(?:,\d{3})+(?!,?\d)|\d+)(?:\.\d+)?(?:e[-+]?\d+)?(?![\w])")
PRINTED = re.compile(r"<!-- printed by: (.*) -->")


def cells(line):
    return [c.strip() for c in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def numbers(text):
    return [float(n.replace(",", "")) for n in NUMBER.findall(text)]


class Table:
    def __init__(self, place, head):
        self.place, self.head, self.rows = place, head, []

    def find(self, key, among):
        if isinstance(key, int):
            return key
        found = [i for i, text in enumerate(among) if text.replace("`", "").startswith(key)]
        if not found:
            raise KeyError(f"'{key}' begins none of {among}")
        return found[0]

    def cell(self, row, column, k=0):
        chosen = self.rows[self.find(row, [r[0] for r in self.rows])]
        return numbers(chosen[self.find(column, self.head)])[k]

    def texts(self, column):
        return [row[self.find(column, self.head)] for row in self.rows]

    def column(self, column, k=0):
        found = [numbers(text) for text in self.texts(column)]
        return [n[k] for n in found if len(n) > k]

    @property
    def count(self):
        return len(self.rows)


def tables(text):
    """All tables of a page, each with the place that it stands in."""
    found, place, table = [], "", None
    lines = text.splitlines()
    for line, after in zip(lines, lines[1:] + [""]):
        printed = PRINTED.match(line)
        if printed or line.startswith("<!-- end -->"):
            place = printed[1] if printed else ""
        if not line.startswith("|"):
            table = None
        elif table is None and re.fullmatch(r"[|: -]+", after) and "-" in after:
            table = Table(place, cells(line))
            found.append(table)
        elif table is not None and not re.fullmatch(r"[|: -]*-[|: -]*", line):
            table.rows.append(cells(line))
    return found


def choose(all_tables, name):
    """The table called so; LookupError: there is none."""
    text, _, index = name.partition("@")
    found = [t for t in all_tables if text in t.place or text in " | ".join(t.head)]
    if len(found) < int(index or 1):
        raise LookupError(f"no table '{name}'")
    return found[int(index or 1) - 1]
