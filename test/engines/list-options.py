"""Prints the options of an engine's own argument parser as JSON: for each kind, the names with their aliases."""

import argparse
import json
import sys


def vllm_parser():
    from vllm.entrypoints.cli.serve import ServeSubcommand
    from vllm.utils.argparse_utils import FlexibleArgumentParser

    subparsers = FlexibleArgumentParser().add_subparsers()
    return ServeSubcommand().subparser_init(subparsers)


def sglang_parser():
    from sglang.srt.server_args import ServerArgs

    parser = argparse.ArgumentParser()
    ServerArgs.add_cli_args(parser)
    return parser


def kind_of(action):
    if isinstance(action, argparse.BooleanOptionalAction):
        return "boolean"
    return {None: "value", 0: "switch", "?": "optional"}.get(action.nargs, "list")


parser = {"vllm": vllm_parser, "sglang": sglang_parser}[sys.argv[1]]()
options = {}
for action in parser._actions:
    names = [name for name in action.option_strings if not name.startswith("--no-") or len(action.option_strings) == 1]
    if names:
        options.setdefault(kind_of(action), []).append("|".join(names))
print(json.dumps({kind: sorted(names) for kind, names in sorted(options.items())}))
