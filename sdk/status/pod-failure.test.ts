import { describe, expect, it } from "vitest";
import { podFailure } from "./pod-failure.ts";

const crashing = (message?: string) => ({
  containerStatuses: [
    {
      ready: false,
      restartCount: 2,
      state: { waiting: { reason: "CrashLoopBackOff" } },
      lastState: { terminated: { exitCode: 1, ...(message !== undefined && { message }) } },
    },
  ],
});

const crash = "CrashLoopBackOff: exit code 1";

describe("a crash is reported with the last line of the termination message", () => {
  it.each([
    [undefined, crash],
    ["", crash],
    ["starting\nout of memory\n", `${crash}: out of memory`],
    ["null", `${crash}: null`],
    [
      `${JSON.stringify({ level: "info", msg: "x" })}\n${JSON.stringify({
        level: "error",
        msg: "the endpoint picker failed",
        error: "/config/config.yaml cannot be used:\n  plugins[0]: a\n  plugins[1]: b",
      })}\n`,
      `${crash}: /config/config.yaml cannot be used: plugins[0]: a; plugins[1]: b`,
    ],
    ["x".repeat(2000), `${crash}: ${"x".repeat(597)}...`],
  ])("%j", (message, expected) => expect(podFailure(crashing(message))).toBe(expected));
});
