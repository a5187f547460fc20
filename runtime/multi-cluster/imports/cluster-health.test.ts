import fc from "fast-check";
import { expect, it } from "vitest";
import { afterProbe, assumedUp, type ClusterHealth, type ProbeResult } from "./cluster-health.ts";

const policy = { failures: 2, failbackDelayMs: 5_000 };
const word = { a: "answers", f: "fails", r: "refuses" } as const;

/** Applies findings that are one second apart. Returns `U` for up or `D` for down after each. */
function history(findings: string): string {
  let health: ClusterHealth = assumedUp;
  return [...findings]
    .map((letter, second) => {
      health = afterProbe(health, word[letter as keyof typeof word], second * 1000, policy);
      return health.up ? "U" : "D";
    })
    .join("");
}

it.each([
  ["stays up while it answers", "aaa", "UUU"],
  ["stays up after single failures", "afafa", "UUUUU"],
  ["goes down after two failures in a row", "aff", "UUD"],
  ["goes down after one refused connection", "ar", "UD"],
  ["is up again after five seconds of answers", "raaaaaa", "DDDDDDU"],
  ["waits five seconds again after another failure", "raaafaaaaaa", "DDDDDDDDDDU"],
  ["stays up after a single failure later", "raaaaaafa", "DDDDDDUUU"],
])("a cluster %s", (_, findings, expected) => {
  expect(history(findings)).toBe(expected);
});

const findings = fc.array(
  fc.record({
    finding: fc.constantFrom<ProbeResult>("answers", "fails", "refuses"),
    after: fc.nat(4_000),
  }),
  { maxLength: 60 },
);

it("a cluster is up again only after responses for the whole delay, and down only after failures", () => {
  fc.assert(
    fc.property(findings, (given) => {
      let health: ClusterHealth = assumedUp;
      let now = 0;
      let answeringSince: number | undefined;
      let failures = 0;
      for (const { finding, after } of given) {
        now += after;
        const before = health.up;
        health = afterProbe(health, finding, now, policy);
        failures = finding === "answers" ? 0 : failures + 1;
        answeringSince = finding === "answers" ? (answeringSince ?? now) : undefined;
        if (!before && health.up)
          expect(now - (answeringSince ?? now)).toBeGreaterThanOrEqual(policy.failbackDelayMs);
        if (before && !health.up) expect(finding === "refuses" || failures >= 2).toBe(true);
        if (finding === "refuses" || failures >= 2) expect(health.up).toBe(false);
      }
    }),
  );
});
