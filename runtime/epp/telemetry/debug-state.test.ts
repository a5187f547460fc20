import { expect, it } from "vitest";
import {
  model,
  objective,
  objects,
  pod,
  rewriteObject,
  service,
} from "../datastore/objects.fixture.ts";
import { emptySnapshot, snapshotOf } from "../datastore/snapshot.ts";
import { debugState } from "./debug-state.ts";

it("the page shows endpoints with readings, registered models, rules including ineffective ones, and priorities", () => {
  const rule = (model: string) => ({ models: ["m"], targets: [{ model, weight: 1 }] });
  const snapshot = snapshotOf(
    objects({
      pods: [pod("a"), pod("b", { ip: "fd00::1" })],
      rewrites: [rewriteObject("first", [rule("x")]), rewriteObject("second", [rule("y")])],
      objectives: [objective("batch", -1)],
      services: [
        service("a", [model("bot", { critical: true, objectiveSeconds: 0.05 })]),
        service("b", [model("bot")]),
      ],
    }),
    emptySnapshot,
  );
  const [a] = snapshot.endpoints;
  if (a === undefined) throw new Error("unreachable");
  a.live.runningRequests = 2;
  a.live.metrics = {
    at: 1_000,
    waitingRequests: 3,
    runningRequests: 4,
    reportsRequests: true,
    maxRunningRequests: undefined,
    firstTokens: undefined,
    endedRequests: undefined,
    generatedTokens: undefined,
    kvCacheUsage: 0.5,
    cacheBlockSize: 16,
    cacheBlocks: undefined,
    servedModel: undefined,
    activeModels: new Set(["adapter"]),
    waitingModels: new Set(),
    maxActiveModels: 4,
  };
  const shown = JSON.parse(JSON.stringify(debugState(snapshot, 1_250.4)));
  expect(shown).toMatchObject({
    pool: { name: "pool", targetPorts: [8_000] },
    endpoints: [
      {
        id: "default/a-rank-0",
        address: "10.0.0.1:8000",
        sent: { runningRequests: 2, runningTokens: 0 },
        metrics: {
          ageMilliseconds: 250,
          waitingRequests: 3,
          cacheBlocks: null,
          activeModels: ["adapter"],
        },
      },
      { address: "[fd00::1]:8000", metrics: null },
    ],
    rewrites: {
      exact: { m: { rewrite: "default/first", targets: [{ model: "x" }] } },
      generic: null,
      unused: [
        {
          rewrite: "default/second",
          index: 0,
          reason: "model m is rewritten by rules[0] of default/first",
        },
      ],
    },
    registrations: {
      required: false,
      byModel: {
        bot: {
          service: "default/a",
          critical: true,
          objectiveSeconds: 0.05,
          targets: [{ model: "bot" }],
        },
      },
      lost: [{ model: "bot", service: "default/b", winner: "default/a" }],
    },
    priorities: { batch: -1 },
  });
  expect(debugState(emptySnapshot, 0)).toMatchObject({ pool: null, endpoints: [] });
});
