import { Command, Option } from "commander";
import { describe, expect, it } from "vitest";
import { completionScripts } from "./scripts.ts";
import { shells } from "./shells.ts";

const program = new Command("pulumi-inference")
  .version("1")
  .addCommand(
    new Command("check")
      .summary("check the user's [files]: quickly")
      .argument("[path...]", "files")
      .option("--config <file>", "a file")
      .option("--stack <name>", "a name")
      .addOption(new Option("--format <format>", "output format").choices(["text", "json"])),
  )
  .addCommand(new Command("status").argument("<service>", "name").option("-w, --watch", "poll"));

describe.each(shells.map((shell) => [shell]))("completion script of %s", (shell) => {
  const script = completionScripts[shell](program);

  it("contains every command, flag and value", () => {
    for (const word of [
      "check",
      "status",
      "help",
      "config",
      "stack",
      "watch",
      "format",
      "text json",
    ])
      expect(script).toContain(word);
  });

  it("contains descriptions that are not parsed as definitions", () => {
    expect(script).not.toContain("user's [files]: quickly");
  });
});
