import { CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { readOptions } from "./options.ts";

const defaults = {
  quick: false,
  clusters: 1,
  standIns: false,
  keep: false,
  namespace: "default",
  yes: false,
};

describe("the demo's command line", () => {
  it.each([
    [[], {}],
    [["--story", "4", "--gpus", "64", "--keep"], { story: 4, gpus: 64, keep: true }],
    [["--quick"], { quick: true }],
    [["--stand-ins"], { standIns: true }],
    [["--clusters", "3"], { clusters: 3 }],
    [
      ["--context", "kind", "--kubeconfig", "f", "-n", "ml", "--yes"],
      { context: "kind", kubeconfig: "f", namespace: "ml", yes: true },
    ],
    [["--destroy", "/tmp/kept"], { destroy: "/tmp/kept" }],
  ])("%j", (args, given) => {
    expect(readOptions(args)).toEqual({ ...defaults, ...given });
  });

  it.each([
    [["--story", "5"], "Allowed choices are 1, 2, 3, 4."],
    [["--gpus", "0"], "Give a whole number of GPUs from 1, for example 64."],
    [["--clusters", "6"], "Give a number of clusters from 1 to 5."],
    [["--clusters", "2", "--namespace", "ml"], "cannot be used with option"],
    [["--quick", "--keep"], "cannot be used with option"],
    [["--context", "kind", "--stand-ins"], "cannot be used with option"],
    [["--destroy", "/tmp/kept", "--story", "1"], "cannot be used with option"],
    [["--kubeconfig", "f"], "--kubeconfig needs --context <name>"],
    [["--yes"], "--yes needs --context <name>"],
    [["--frobnicate"], "unknown option '--frobnicate'"],
  ])("%j is refused", (args, reason) => {
    let printed = "";
    const read = () =>
      readOptions(args, (text) => {
        printed += text;
      });
    expect(read).toThrow(CommanderError);
    expect(printed).toContain(reason);
  });

  it("lists each option once, in 80 columns", () => {
    let help = "";
    const read = () =>
      readOptions(["--help"], (text) => {
        help += text;
      });
    expect(read).toThrow("(outputHelp)");
    const options = [...help.matchAll(/^ {2}(?:-\w, )?--([\w-]+)/gm)].map(([, name]) => name);
    expect(options).toEqual([
      ...["quick", "story", "gpus", "stand-ins", "clusters", "keep", "context", "kubeconfig"],
      ...["namespace", "yes", "destroy", "help"],
    ]);
    for (const line of help.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
  });
});
