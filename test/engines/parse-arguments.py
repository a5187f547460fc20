"""Reads JSON lists of arguments from stdin, and prints what an engine's own argument parser refuses of each."""

import contextlib
import io
import json
import sys


def vllm_parser():
    from vllm.entrypoints.cli.serve import ServeSubcommand
    from vllm.utils.argparse_utils import FlexibleArgumentParser

    parser = FlexibleArgumentParser()
    command = ServeSubcommand()
    command.subparser_init(parser.add_subparsers(dest="subparser"))

    def parse(words):
        arguments = parser.parse_args(["serve", *words])
        if arguments.model_tag is not None:
            arguments.model = arguments.model_tag
        command.validate(arguments)

    return parse


def sglang_parser():
    import argparse

    from sglang.srt.server_args import ServerArgs

    parser = argparse.ArgumentParser()
    ServerArgs.add_cli_args(parser)
    return parser.parse_args


def refusal(parse, words):
    output = io.StringIO()
    try:
        with contextlib.redirect_stderr(output), contextlib.redirect_stdout(output):
            parse(words)
    except SystemExit:
        return output.getvalue().strip().splitlines()[-1]
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


parse = {"vllm": vllm_parser, "sglang": sglang_parser}[sys.argv[1]]()
print(json.dumps([refusal(parse, words) for words in json.load(sys.stdin)]))
