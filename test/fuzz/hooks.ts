import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import rpc from "@pulumi/pulumi/runtime/rpc.js";
import fc from "fast-check";
import { type Inputs, updateOf } from "../../components/rollout/hook-inputs.ts";
import { lossesOf } from "../../components/rollout/loss-hooks.ts";
import { isMap } from "../../kubernetes/values/records.ts";
import { planInferenceService, planParsed } from "../../sdk/plan/inference-service.ts";
import { rolloutNotice } from "../../sdk/rollout/rollout-notice.ts";
import { restartsPods } from "../../sdk/rollout/set-state.ts";

import type { InferenceService } from "../../sdk/spec/inference-service.ts";
import { parseInferenceService } from "../../sdk/validate/inference-service.ts";
import { router, service, worker } from "../../testing/samples/sample-service.ts";
import { placesOf, spoiledObject } from "./arbitraries.ts";
import { target } from "./target.ts";

/** Inputs of resources, as the engine sends them to the hooks of a rollout: with secrets, and with unknown values. */

type Wire = Record<string, unknown>;

const corpus: ReadonlyArray<{ readonly before: Wire; readonly after: Wire }> = JSON.parse(
  readFileSync(join(import.meta.dirname, "corpus", "hook-inputs.json"), "utf8"),
);

const secret = (value: unknown) => ({ [rpc.specialSigKey]: rpc.specialSecretSig, value });

/** Reads inputs as the SDK does for a hook: each input that contains a secret becomes one Output. */
function received(wire: unknown): Inputs | undefined {
  if (!isMap(wire)) return undefined;
  const inputs: Inputs = rpc.deserializeProperties({ toJavaScript: () => wire } as never, true);
  return Object.fromEntries(
    Object.entries(inputs).map(([key, value]) => [
      key,
      rpc.isRpcSecret(value) ? pulumi.secret(rpc.unwrapRpcSecret(value)) : value,
    ]),
  );
}

const updated = (before: unknown, after: unknown) =>
  updateOf({ oldInputs: received(before), newInputs: received(after) });

/** Replaces the value at one of the paths of an object. */
function changedAt(object: Wire, at: number, change: (value: unknown) => unknown): Wire {
  const result = structuredClone(object);
  const places = placesOf(result);
  const place = places[at % places.length];
  if (place !== undefined) place.holder[place.key] = change(place.holder[place.key]);
  return result;
}

const planned = planInferenceService(
  service([worker({ replicas: 3, multinode: { nodeCount: 2 } }), router()], {}),
);
const set = planned.find(({ kind }) => kind === "LeaderWorkerSet") as unknown as Wire;
const otherImage = JSON.parse(JSON.stringify(set).replaceAll("v0.11.0", "v0.11.1")) as Wire;
const moreReplicas = { ...set, spec: { ...(set.spec as object), replicas: 5 } };
const edit = fc.constantFrom(
  { before: set, after: set },
  { before: set, after: otherImage },
  { before: set, after: moreReplicas },
);
const at = fc.nat(1_000);

const { metadata, spec } = parseInferenceService(service([worker({ replicas: 3 }), router()], {}));
const args = JSON.parse(JSON.stringify({ metadata: { ...metadata, namespace: "ns" }, ...spec }));
const moved = { ...args, metadata: { ...args.metadata, namespace: "prod" } };
const losses = (before: unknown, after: unknown) =>
  lossesOf(
    "svc",
    'InferenceService "svc"',
    ({ metadata: named, ...rest }) =>
      planParsed({ metadata: named, spec: rest } as unknown as InferenceService),
    { oldInputs: received(before), newInputs: received(after) },
  );

const partOf = (inputs: Wire) => {
  const { leaderWorkerTemplate, networkConfig } = (inputs.spec ?? {}) as Wire;
  return JSON.stringify({ leaderWorkerTemplate, networkConfig });
};

export const hookTargets = [
  target(
    "inputs of hooks, with anything in their fields",
    fc.record({
      before: spoiledObject(fc.constant(set)),
      after: spoiledObject(fc.constant(set)),
    }) as fc.Arbitrary<(typeof corpus)[0]>,
    async ({ before, after }) => {
      const update = await updated(before, after);
      rolloutNotice("S", planned, update.name, true, update.before);
      await losses(before, after);
    },
    { examples: corpus },
  ),
  target(
    "inputs of hooks with secret values",
    fc.tuple(edit, at, at),
    async ([{ before, after }, one, two]) => {
      const { restarts } = await updated(
        changedAt(before, one, secret),
        changedAt(after, two, secret),
      );
      if (restarts !== restartsPods(before.spec, after.spec))
        throw new Error(`with secrets, restarts is ${restarts}`);
    },
  ),
  target(
    "inputs of hooks with unknown values",
    fc.tuple(edit, at, fc.boolean(), fc.boolean()),
    async ([{ before, after }, path, both, hidden]) => {
      const unknown = () => (hidden ? secret(rpc.unknownValue) : rpc.unknownValue);
      const later = changedAt(after, path, unknown);
      const { restarts } = await updated(both ? changedAt(before, path, unknown) : before, later);
      const mayRestart = partOf(later) !== partOf(after) || restartsPods(before.spec, after.spec);
      if (mayRestart && !restarts) throw new Error("an unknown value restarts nothing");
    },
  ),
  target(
    "arguments of a service with secret and unknown values",
    fc.tuple(at, spoiledObject(fc.constant(args))),
    async ([path, spoiled]) => {
      const expected = (await losses(args, moved)).join();
      const hidden = (
        await losses(changedAt(args, path, secret), changedAt(moved, path, secret))
      ).join();
      if (expected === "" || hidden !== expected) throw new Error(`with a secret: ${hidden}`);
      await losses(
        args,
        changedAt(moved, path, () => rpc.unknownValue),
      );
      await losses(spoiled, moved);
      await losses(args, spoiled);
    },
  ),
];
