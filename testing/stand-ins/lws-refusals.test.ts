import { expect, it } from "vitest";
import { lwsExample } from "./lws-example.ts";
import { refusalsOf } from "./lws-refusals.ts";

const name = (length: number) => "m".repeat(length);
const rollout = (changes: object) => ({
  rolloutStrategy: {
    rollingUpdateConfiguration: { maxUnavailable: 1, maxSurge: 0, partition: 0, ...changes },
  },
});

it.each([
  ["a short name", lwsExample()],
  ["52 characters for single pods", lwsExample({ name: name(52), spec: { replicas: 100 } })],
  [
    "50 characters with ten groups of pods",
    lwsExample({ name: name(50), spec: { replicas: 10 }, template: { size: 2 } }),
  ],
  [
    "no update budget without replicas",
    lwsExample({ spec: { replicas: 0, ...rollout({ maxUnavailable: 0 }) } }),
  ],
])("accepts %s", (_what, lws) => {
  expect(refusalsOf(lws)).toEqual([]);
});

it.each([
  ["53 characters for single pods", lwsExample({ name: name(53) }), /has 53 characters/],
  [
    "50 characters with eleven groups",
    lwsExample({ name: name(50), spec: { replicas: 11 }, template: { size: 2 } }),
    /has 53 characters/,
  ],
  ["a digit first", lwsExample({ name: "1m" }), /not a DNS-1035 label/],
  ["size 0", lwsExample({ template: { size: 0 } }), /size is 0/],
  ["no rollingUpdateConfiguration", lwsExample({ spec: { rolloutStrategy: {} } }), /panics/],
  ["no update budget", lwsExample({ spec: rollout({ maxUnavailable: "0%" }) }), /both 0/],
  ["a negative partition", lwsExample({ spec: rollout({ partition: -1 }) }), /partition is -1/],
  ["surge", lwsExample({ spec: rollout({ maxSurge: 1 }) }), /not play maxSurge/],
  ["subgroups", lwsExample({ template: { subGroupPolicy: {} } }), /not play subGroupPolicy/],
  [
    "claims",
    lwsExample({ template: { volumeClaimTemplates: [] } }),
    /not play volumeClaimTemplates/,
  ],
  [
    "exclusive topology",
    lwsExample({ annotations: { "leaderworkerset.sigs.k8s.io/exclusive-topology": "rack" } }),
    /not play exclusive/,
  ],
])("refuses %s", (_what, lws, reason) => {
  expect(refusalsOf(lws)).toEqual([expect.stringMatching(reason)]);
});
