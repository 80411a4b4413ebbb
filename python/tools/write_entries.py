#!/usr/bin/env python3
"""Writes the classes of the entries of models, from docs/trammel.schema.json:
python/trammel/{elements,joints,forces,beams,roads,shapes}.py.

usage: write_entries.py [--check]

--check writes nothing and fails if a file is not what would be written.
"""
import json
import os
import re
import sys
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(ROOT, "python", "trammel")

# Schemas with types: module, section, and a class for each type.
MODULES = {"joint": ("joints", "joints", "Joints"), "force": ("forces", "forces", "Forces"),
           "beam": ("beams", "beams", "Beams by their section"),
           "road": ("roads", "roads", "Roads for tyres"),
           "shape": ("shapes", "shapes", "Shapes of bodies and of the ground")}
# Schemas without types: class and section ("" for a value inside an entry).
CLASSES = {"body": ("Body", "bodies"), "modal": ("ModalBody", "modal_bodies"),
           "contact": ("Contact", "contacts"), "state": ("State", "states"), "input": ("Input", "inputs"),
           "event": ("Event", "events"),
           "table": ("Table", "tables"), "frame": ("Frame", ""), "orientation": ("Orientation", ""),
           "limits": ("Limits", ""), "friction": ("Friction", ""), "motor": ("Motor", ""),
           "scaling": ("Scaling", "")}

HEAD = '''"""{title}, with the keys of model files (docs/model-file.md).

Generated from docs/trammel.schema.json by python/tools/write_entries.py: do not edit by hand.
"""
# pylint: disable=too-many-arguments,too-many-locals,unused-argument,redefined-builtin
from __future__ import annotations
'''
IMPORTS = {"typing": ("Any", "Literal", "Sequence"),
           ".entries": ("Entry", "Expression", "Map", "Number", "Numbers", "Reference", "Value", "Vector")}

REFERENCES = re.compile(r"frame|body|shape|road|coordinate", re.I)


def hint(value):
    """The type of a value of the schema, in Python's words."""
    ref = value.get("$ref", "").rpartition("/")[2]
    simple = {"number": "Number", "expression": "Expression", "numbers": "Numbers", "vector": "Vector"}
    if ref in simple:
        return simple[ref]
    if ref:
        return "Value | Map"
    if "anyOf" in value:
        return " | ".join(dict.fromkeys(hint(v) for v in value["anyOf"]))
    if "enum" in value:
        return f"Literal[{', '.join(json.dumps(word) for word in value['enum'])}]"
    kind = value.get("type")
    if kind == "string":
        return "Reference" if REFERENCES.search(value.get("description", "")) else "str"
    if kind == "boolean":
        return "bool"
    if kind == "array":
        return "Sequence[Any]" if "$ref" not in value.get("items", {}) else "Numbers"
    if kind == "object":
        return "Map"
    if isinstance(kind, list):
        words = {"number": "Number", "string": "str", "array": "Sequence[Any]", "boolean": "bool"}
        hints = [words[k] for k in kind]
        return " | ".join(h for h in dict.fromkeys(hints) if not (h == "str" and "Number" in hints))
    return "Any"


def class_name(word):
    return "".join(part.capitalize() for part in re.split(r"[-_]", word))


def sentence(text):
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)  # links
    text = text[0].upper() + text[1:]
    return text if text.endswith((".", "?")) else text + "."


def pack(before, items, after, indent):
    """Items between commas, in lines of at most 104 columns; those after the first are indented."""
    lines, line = [], before
    for i, item in enumerate(items):
        item += after if i == len(items) - 1 else ","
        if len(line) + len(item) > 104 and line.strip():
            lines.append(line.rstrip())
            line = " " * indent
        line += item + " "
    return [*lines, line.rstrip()]


def write_class(name, section, type_, doc, properties):
    keys = [key for key in properties if key != "type"]
    base = "Entry" if section else "Value"
    lines = [f"\n\n\nclass {name}({base}):"]
    paragraphs = textwrap.wrap(sentence(doc), 100)
    lines.append('    r"""' + paragraphs[0])
    lines += ["    " + line for line in paragraphs[1:]]
    lines.append("")
    for key in keys:
        lines += textwrap.wrap(f"{key}: {properties[key].get('description', '')}", 104, initial_indent="    ",
                               subsequent_indent=" " * 8, break_on_hyphens=False)
    lines.append('    """')
    if section:
        lines.append(f'    SECTION = "{section}"')
    if type_:
        lines.append(f'    TYPE = "{type_}"')
    words = [json.dumps(key) for key in keys]
    lines += pack("    KEYS = (", words, ",)" if len(words) == 1 else ")", 12)
    lines.append("")
    first = "self, name: str | None = None, *, " if section == "shapes" else "self, name: str, *, "
    given = [f"{key}: {hint(properties[key])} | None = None" for key in keys]
    lines += pack(f"    def __init__({first if section else 'self, *, '}", given, "):", 17)
    lines.append(f"        super().__init__({'name, ' if section else ''}locals())")
    return "\n".join(lines)


def write_module(title, parts):
    """The text of a module: its head, the imports that its classes need, and the classes."""
    body = "".join(parts)
    text = HEAD.format(title=title)
    for module, names in IMPORTS.items():
        used = [name for name in names if re.search(rf"[(\[ |]{name}\b[\[\])| ]", body)]
        if used:
            text += f"\nfrom {module} import {', '.join(used)}\n"
    return text.rstrip("\n") + body + "\n"


def write_modules():
    """{file: text}"""
    with open(os.path.join(ROOT, "docs", "trammel.schema.json"), encoding="utf-8") as f:
        schema = json.load(f)
    defs = schema["$defs"]
    files = {}
    for kind, (module, section, title) in MODULES.items():
        parts = []
        for variant in defs[kind]["anyOf"]:
            properties = variant["properties"]
            if len(properties) > 1:  # the others are made by calls
                type_ = properties["type"]["const"]
                parts.append(write_class(class_name(type_), section, type_, variant["description"],
                                         properties))
        files[module + ".py"] = write_module(title, parts)
    parts = []
    for kind, (name, section) in CLASSES.items():
        parts.append(write_class(name, section, None, defs[kind]["description"], defs[kind]["properties"]))
    sections = tuple(schema["properties"])
    parts.append("\n\n\n# keys of a model file, and of its block `run`\n")
    parts.append("\n".join(textwrap.wrap(f"SECTIONS = {sections!r}", 104, subsequent_indent=" " * 4)) + "\n")
    run = {key: value["description"] for key, value in defs["run"]["properties"].items()}
    parts.append("SETTINGS = {\n")
    for key, doc in run.items():
        pieces = textwrap.wrap(doc, 80, drop_whitespace=False, break_on_hyphens=False)
        parts.append(f"    {key!r}: " + "\n        ".join(repr(p) for p in pieces) + ",\n")
    parts.append("}")
    title = "Bodies, contacts, states, ... and values inside entries"
    files["elements.py"] = write_module(title, parts)
    return files


def main():
    wrong = []
    for name, text in write_modules().items():
        path = os.path.join(FOLDER, name)
        if "--check" in sys.argv:
            with open(path, encoding="utf-8") as f:
                if f.read() != text:
                    wrong.append(name)
        else:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
    if wrong:
        print(f"{', '.join(wrong)} of python/trammel are not what docs/trammel.schema.json gives: run "
              "python/tools/write_entries.py", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
