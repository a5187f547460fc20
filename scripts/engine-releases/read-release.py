"""Prints the options, their values and the environment variables of an engine as JSON.

Reads the definitions from the engine's source with Python's ast module. Runs none of the source.

Usage: read-release.py (vllm | sglang) FOLDER, the folder that contains the engine's package.
"""

import ast
import json
import pathlib
import re
import sys

engine, folder = sys.argv[1], pathlib.Path(sys.argv[2])


def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8-sig"))


files = [path for path in sorted((folder / engine).rglob("*.py"))]


def within(tree, name):
    """Returns the definitions of a class or function in a file."""
    return [node for node in ast.walk(tree) if getattr(node, "name", None) == name]


class Unresolved(Exception):
    """A value that only a running program knows."""


class Constants:
    """The assigned names of all files, to resolve lists of choices."""

    def __init__(self, paths):
        self.assigned = {}
        for path in paths:
            for node in parsed(path).body:
                targets, value = [], getattr(node, "value", None)
                if isinstance(node, ast.Assign):
                    targets = [t.id for t in node.targets if isinstance(t, ast.Name)]
                elif isinstance(node, ast.AnnAssign):
                    targets = [node.target.id] if isinstance(node.target, ast.Name) else []
                for name in targets:
                    self.assigned.setdefault(name, value)

    def items(self, node, depth=0):
        """Returns the texts of a list, tuple or Literal."""
        if depth > 8 or node is None:
            raise Unresolved()
        if isinstance(node, ast.Constant):
            return [node.value]
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return [item for each in node.elts for item in self.items(each, depth + 1)]
        if isinstance(node, ast.Starred):
            return self.items(node.value, depth + 1)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self.items(node.left, depth + 1) + self.items(node.right, depth + 1)
        if isinstance(node, ast.Name):
            return self.items(self.assigned.get(node.id), depth + 1)
        if isinstance(node, ast.Subscript) and text_of(node.value) in ("Literal", "typing.Literal"):
            return self.items(node.slice, depth + 1)
        if isinstance(node, ast.Call) and text_of(node.func) in ("list", "get_args", "sorted", "set"):
            return self.items(node.args[0], depth + 1)
        if isinstance(node, ast.Dict) and depth > 0:
            return [item for key in node.keys for item in self.items(key, depth + 1)]
        raise Unresolved()


def text_of(node):
    return ast.unparse(node) if node is not None else ""


def parts(annotation):
    """Returns the members of a union, without Annotated."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return parts(ast.parse(annotation.value, mode="eval").body)
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        return parts(annotation.left) + parts(annotation.right)
    if isinstance(annotation, ast.Subscript):
        head = text_of(annotation.value)
        if head in ("Annotated", "A", "SkipValidation", "InitVar", "dataclasses.InitVar"):
            first = annotation.slice.elts[0] if isinstance(annotation.slice, ast.Tuple) else annotation.slice
            return parts(first)
        if head in ("Union", "Optional"):
            each = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
            found = [part for member in each for part in parts(member)]
            return found + [ast.Constant(None)] if head == "Optional" else found
    return [annotation]


def choices_of(members, constants):
    """Returns the texts of the Literal in a union; None if there is none."""
    for member in members:
        try:
            if isinstance(member, ast.Name) and member.id not in constants.assigned:
                continue
            if isinstance(member, ast.Constant):
                continue
            source = member
            if isinstance(member, ast.Name):
                source = constants.assigned[member.id]
                # An alias may be a union.
                inner = parts(source)
                if len(inner) > 1:
                    return choices_of(inner, constants)
            if isinstance(source, ast.Subscript) and text_of(source.value).endswith("Literal"):
                return constants.items(source)
        except Unresolved:
            continue
    return None


# Bounds of a number by the keywords of pydantic's Field.
BOUNDS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}
ALIASES = {"PositiveInt": ("int", ">=1"), "NonNegativeInt": ("int", ">=0"), "PositiveFloat": ("float", ">0"), "NonNegativeFloat": ("float", ">=0")}


def limit_of(members, default, is_scaled, is_dataclass):
    """Returns the type and the bounds of an option's value as a text; None if it may be any text."""
    names = {text_of(member).split("[")[0] for member in members} - {"None"}
    if is_dataclass(names) or names == {"dict"}:
        return "json"
    if "dict" in names:
        return "json|text"
    kind, own = next(((kind, bound) for name, (kind, bound) in ALIASES.items() if names == {name}), (None, None))
    if kind is None:
        kind = "int" if names == {"int"} else "float" if names in ({"float"}, {"int", "float"}) else None
    if kind is None:
        return None
    bounds = [own] if own else []
    if isinstance(default, ast.Call) and text_of(default.func).endswith("Field"):
        for word in default.keywords:
            if word.arg in BOUNDS:
                bounds.append(BOUNDS[word.arg] + text_of(word.value).replace(" ", ""))
    return " ".join(["count" if is_scaled else kind, *bounds])


def is_(members, *names):
    return any(text_of(member).split("[")[0] in names for member in members)


def keyword(call, name):
    return next((word.value for word in call.keywords if word.arg == name), None)


def flags_of(call):
    return [arg.value for arg in call.args if isinstance(arg, ast.Constant) and str(arg.value).startswith("-")]


def kind_of_call(call, otherwise="value"):
    action = text_of(keyword(call, "action"))
    nargs = keyword(call, "nargs")
    if "BooleanOptionalAction" in action:
        return "boolean"
    if "store_true" in action or "StoreTrue" in action or "store_const" in action or "_help" in action:
        return "switch"
    if "StoreConst" in action or "NoOp" in action or "DeprecatedAction" in action:
        return "value" if text_of(nargs) == "None" else "switch"
    if nargs is not None:
        return {"'?'": "optional", "0": "switch", "None": "value"}.get(text_of(nargs), "list")
    return otherwise


def vllm():
    constants = Constants([path for path in files if re.search(r"/config/|/quantization/__init__|/cli_args|arg_utils|/protocol", str(path))])
    classes, defaults, dataclasses = {}, {}, set()
    for path in files:
        if re.search(r"/config/|cli_args\.py|arg_utils\.py", str(path)):
            for node in ast.walk(parsed(path)):
                if isinstance(node, ast.ClassDef):
                    if any(re.search(r"^(config|dataclass)\b", text_of(each)) for each in node.decorator_list):
                        dataclasses.add(node.name)
                    defaults.setdefault(node.name, {}).update(
                        (each.target.id, each.value) for each in node.body if isinstance(each, ast.AnnAssign)
                    )
                    classes.setdefault(node.name, {}).update(
                        (each.target.id, each.annotation) for each in node.body if isinstance(each, ast.AnnAssign)
                    )

    def kind_and_values(members, is_typed=True):
        if {text_of(member) for member in members} == {"bool", "str", "None"}:
            return "optional", None, False
        if is_(members, "bool"):
            return "boolean", None, False
        values = choices_of(members, constants)
        if values is not None:
            return "value", values, is_(members, "str")
        if is_(members, "list", "tuple", "set", "List", "Tuple", "Set"):
            inner = next(member for member in members if text_of(member).split("[")[0].lower() in ("list", "tuple", "set"))
            elements = inner.slice.elts[0] if isinstance(inner.slice, ast.Tuple) else inner.slice
            return "list", choices_of(parts(elements), constants), is_(parts(elements), "str")
        return "value", None, False

    options = {}

    def add(names, kind, values=None, is_open=False, limit=None):
        if not names:
            return  # A positional argument.
        name = "|".join(sorted(names, key=lambda each: (not each.startswith("--"), each != "-h")))
        options[name] = {"kind": kind, "values": values, "open": is_open, "limit": limit}

    # Options that also accept numbers with a unit, such as 32k.
    scaled = set(re.findall(r'"(\w+)"', "".join(
        text_of(node.value).replace("'", '"')
        for node in ast.walk(parsed(next(path for path in files if str(path).endswith("engine/arg_utils.py"))))
        if isinstance(node, ast.Assign) and "human_readable_int_args" in text_of(node.targets[0])
    ))) | {"max_model_len"}

    def limit_in(name, field):
        annotation = classes.get(name, {}).get(field)
        if annotation is None:
            return None
        return limit_of(parts(annotation), defaults[name].get(field), field in scaled, lambda names: any(each in dataclasses for each in names))

    def field_of(node):
        """Returns the subscript in `**kwargs["field"]`, also if a dictionary adds keys to it."""
        if isinstance(node, ast.Dict):
            return next((field_of(value) for key, value in zip(node.keys, node.values) if key is None), None)
        return node if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) else None

    arguments = parsed(next(path for path in files if str(path).endswith("engine/arg_utils.py")))
    for name in ("EngineArgs", "AsyncEngineArgs"):
        for method in [each for each in within(arguments, name)[0].body if getattr(each, "name", "") == "add_cli_args"]:
            sources = {
                node.targets[0].id: text_of(node.value.args[0])
                for node in ast.walk(method)
                if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and text_of(node.value.func) == "get_kwargs"
            }
            for call in [node for node in ast.walk(method) if isinstance(node, ast.Call) and text_of(node.func).endswith("add_argument")]:
                flags = flags_of(call)
                field = next((field_of(word.value) for word in call.keywords if word.arg is None), None)
                if field is not None:
                    annotation = classes.get(sources.get(field.value.id), {}).get(field.slice.value)
                    kind, values, is_open = kind_and_values(parts(annotation)) if annotation else ("value", None, False)
                    changed = keyword(call, "action") or keyword(call, "nargs")
                    limit = limit_in(sources.get(field.value.id), field.slice.value) if kind == "value" and values is None else None
                    # A custom type parses JSON.
                    add(flags, kind_of_call(call) if changed is not None else kind, values, is_open, limit)
                else:
                    found = keyword(call, "choices")
                    try:
                        values = constants.items(found) if found is not None else None
                    except Unresolved:
                        values = None
                    add(flags, kind_of_call(call), values)

    frontend = parsed(next(path for path in files if str(path).endswith("cli_args.py")))
    customized = text_of(ast.Module(body=[node for node in ast.walk(frontend) if getattr(node, "name", "") in ("_customize_cli_kwargs", "add_cli_args")], type_ignores=[]))
    for name in ("BaseFrontendArgs", "FrontendArgs"):
        for found in within(frontend, name):
            for each in found.body:
                if not isinstance(each, ast.AnnAssign):
                    continue
                field = each.target.id
                kind, values, is_open = kind_and_values(parts(each.annotation))
                if re.search(rf"del frontend_kwargs\['{field}'\]\['nargs'\]|frontend_kwargs\['{field}'\]\['action'\] = 'append'", customized):
                    kind = "value"
                if re.search(rf"frontend_kwargs\['{field}'\]\['action'\] = 'store_true'", customized):
                    kind = "switch"
                short = re.search(rf"frontend_kwargs\['{field}'\]\['flags'\] = \['(-\w+)'\]", customized)
                limit = limit_in(name, field) if kind == "value" and values is None else None
                add(["--" + field.replace("_", "-")] + ([short[1]] if short else []), kind, values, is_open, limit)
    for function in within(frontend, "make_arg_parser"):
        for call in [node for node in ast.walk(function) if isinstance(node, ast.Call) and text_of(node.func).endswith("add_argument")]:
            add(flags_of(call), kind_of_call(call))
    options["-h|--help"] = {"kind": "switch", "values": None, "open": False}
    for option, names in registered().items():
        options[option]["values"] = names
    return options


def registered():
    """Returns the names that vLLM registers at import for options whose type is a plain text."""
    found = {}
    registries = {
        "--tool-call-parser": ("vllm/tool_parsers/__init__.py", "_TOOL_PARSERS_TO_REGISTER"),
        "--reasoning-parser": ("vllm/reasoning/__init__.py", "_REASONING_PARSERS_TO_REGISTER"),
        "--load-format": ("vllm/model_executor/model_loader/__init__.py", "_LOAD_FORMAT_TO_MODEL_LOADER"),
    }
    for option, (path, name) in registries.items():
        for node in parsed(folder / path).body:
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            if isinstance(target, ast.Name) and target.id == name:
                found[option] = [key.value for key in node.value.keys]
    return found


def connectors():
    """Returns the connectors that KVConnectorFactory registers."""
    path = folder / "vllm/distributed/kv_transfer/kv_connector/factory.py"
    return sorted(
        node.args[0].value
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and text_of(node.func).endswith("register_connector") and isinstance(node.args[0], ast.Constant)
    )


def architectures():
    """Returns vLLM's architectures, and the ones whose class does not support pipeline stages."""
    models = folder / "vllm/model_executor/models"
    bases = {}
    for path in sorted([*models.rglob("*.py"), *(folder / "vllm/models").rglob("*.py")]):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ClassDef):
                bases.setdefault(node.name, set()).update(text_of(base).split("[")[0].split(".")[-1] for base in node.bases)

    def has_stages(name, seen=()):
        return name == "SupportsPP" or any(base not in seen and has_stages(base, (*seen, name)) for base in bases.get(name, ()))

    served, unstaged = set(), set()
    for node in parsed(models / "registry.py").body:
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if not isinstance(target, ast.Name) or not re.fullmatch(r"_[A-Z_]+_MODELS", target.id) or not isinstance(node.value, ast.Dict):
            continue
        if re.search("PREVIOUSLY|OOT|_VLLM_|TRANSFORMERS", target.id):
            continue
        for key, value in zip(node.value.keys, node.value.values):
            if key is None or not isinstance(value, ast.Tuple):
                continue
            served.add(key.value)
            name = getattr(value.elts[1], "value", None)
            if name in bases and not has_stages(name):
                unstaged.add(key.value)
    return sorted(served), sorted(unstaged)


def sglang():
    root = folder / engine / "srt"
    constants = Constants([root / "server_args.py", *sorted((root / "arg_groups").rglob("*.py")), *[root / name for name in ("parser/reasoning_parser_names.py", "function_call/parser_names.py")if (root / name).exists()]])
    options = {}

    def add(names, kind, values=None, limit=None):
        options["|".join(names)] = {"kind": kind, "values": values, "open": False, "limit": limit}

    def resolved(node):
        try:
            return constants.items(node) if node is not None else None
        except Unresolved:
            return None

    def read_field(each):
        annotation = each.annotation
        if isinstance(annotation, ast.Constant):
            annotation = ast.parse(annotation.value, mode="eval").body
        if not (isinstance(annotation, ast.Subscript) and text_of(annotation.value) in ("A", "Annotated")):
            return
        inner, *extra = annotation.slice.elts
        arg = next((item for item in extra if isinstance(item, ast.Call) and text_of(item.func) == "Arg"), None)
        is_help = any(not isinstance(item, ast.Call) for item in extra)
        if arg is None and not is_help:
            return
        arg = arg or ast.Call(func=ast.Name("Arg"), args=[], keywords=[])
        if text_of(keyword(arg, "no_cli")) == "True":
            return
        name = keyword(arg, "cli_name")
        names = [name.value if name is not None else "--" + each.target.id.replace("_", "-")]
        names += [item.value for item in getattr(keyword(arg, "aliases"), "elts", [])]
        members = [member for member in parts(inner) if text_of(member) != "None"]
        if keyword(arg, "action") is not None:
            extra = keyword(arg, "action_kwargs")
            nargs = extra and next((value for key, value in zip(extra.keys, extra.values) if key.value == "nargs"), None)
            call = ast.Call(func=arg.func, args=[], keywords=[ast.keyword("action", keyword(arg, "action"))] + ([ast.keyword("nargs", nargs)] if nargs else []))
            add(names, kind_of_call(call))
            return
        literal = choices_of(members, constants)
        if literal is not None:
            add(names, "value", resolved(keyword(arg, "choices")) or literal)
        elif is_(members, "list", "List") and len(members) == 1 and keyword(arg, "type_parser") is None:
            nargs = keyword(arg, "nargs")
            add(names, "list" if nargs is None else kind_of_call(arg), resolved(keyword(arg, "choices")))
        elif [text_of(member) for member in members] == ["bool"]:
            add(names, "switch")
        else:
            parser = text_of(keyword(arg, "type_parser"))
            limit = "json" if parser == "json.loads" else None if parser else limit_of(members, None, False, lambda names: False)
            add(names, kind_of_call(arg), resolved(keyword(arg, "choices")), limit)

    paths = [root / "server_args.py", *sorted((root / "arg_groups" / "fields").rglob("*.py"))]
    for path in paths:
        tree = parsed(path)
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and (node.name == "ServerArgs" or "fields" in path.parts):
                for each in node.body:
                    if isinstance(each, ast.AnnAssign):
                        read_field(each)
    for function in within(parsed(paths[0]), "add_cli_args"):
        for call in [node for node in ast.walk(function) if isinstance(node, ast.Call) and text_of(node.func).endswith("add_argument")]:
            found = keyword(call, "choices")
            add(flags_of(call), kind_of_call(call), resolved(found))
    add(["-h", "--help"], "switch")
    return options


def variables(prefix):
    """Returns the names that the source contains as texts of their own, or as fields of its list of variables."""
    pattern = re.compile(rf"{prefix}_[A-Z0-9][A-Z0-9_]*")
    names = set()
    for path in files:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and pattern.fullmatch(node.value):
                names.add(node.value)
            elif path.name in ("envs.py", "environ.py") and isinstance(node, ast.Name) and pattern.fullmatch(node.id):
                names.add(node.id)
    return sorted(name for name in names)


options = {"vllm": vllm, "sglang": sglang}[engine]()
kinds = {}
values = {}
for name, option in options.items():
    kinds.setdefault(option["kind"], []).append(name)
    texts = option["values"]
    if texts and all(isinstance(text, (str, int)) or text is None for text in texts):
        values[name.split("|")[0]] = {
            "values": sorted({str(text) for text in texts if text is not None}),
            "open": option["open"],
        }
limits = {}
for name, option in options.items():
    if option.get("limit") is not None:
        limits.setdefault(option["limit"], []).append(name.split("|")[0])
served, unstaged = architectures() if engine == "vllm" else ([], [])
print(json.dumps({
    "options": {kind: sorted(names) for kind, names in sorted(kinds.items())},
    "values": dict(sorted(values.items())),
    "limits": {limit: sorted(names) for limit, names in sorted(limits.items())},
    "connectors": connectors() if engine == "vllm" else [],
    "architectures": served,
    "unstaged": unstaged,
    "variables": variables({"vllm": "VLLM", "sglang": "(?:SGLANG|SGL)"}[engine]),
}))
