import { describe, expect, it } from "vitest";
import { readCommandLine } from "../../manager/program.ts";
import { program } from "./program.ts";

describe("the command line of pod-plugin-webhook", () => {
  it("calls no endpoints by default", () => {
    expect(readCommandLine(program, [], { NAMESPACE: "system" })).toMatchObject({
      kind: "run",
      options: {
        namespace: "system",
        hostname: "inference-pod-plugin-webhook.system.svc",
        webhookUrls: undefined,
        modules: [],
        port: 9443,
        lifetimeMs: 90 * 24 * 3_600_000,
      },
    });
  });

  it("calls the listed endpoints with --enable-webhook-plugins", () => {
    const urls = "--webhook-plugin-urls=https://a.example/,https://b.example/x";
    expect(readCommandLine(program, ["--enable-webhook-plugins", urls], {})).toMatchObject({
      options: { webhookUrls: ["https://a.example/", "https://b.example/x"] },
    });
  });

  it.each([
    ["a gate without a list", ["--enable-webhook-plugins"], /give --webhook-plugin-urls/],
    [
      "a list without a gate",
      ["--webhook-plugin-urls=https://a/"],
      /give --enable-webhook-plugins too/,
    ],
    [
      "a URL that is not HTTPS",
      ["--enable-webhook-plugins", "--webhook-plugin-urls=http://a/"],
      /"http:\/\/a\/" was given; give https URLs/,
    ],
    ["an unknown flag", ["--urls=x"], /unknown flag/],
  ])("refuses %s", (_what, args, problem) => {
    expect(readCommandLine(program, args, {})).toMatchObject({
      kind: "wrong",
      problems: [expect.stringMatching(problem)],
    });
  });

  it("prints its help with --help", () => {
    expect(readCommandLine(program, ["--help"], {})).toMatchObject({
      kind: "help",
      text: expect.stringContaining("Usage: pod-plugin-webhook [flags]"),
    });
  });
});
