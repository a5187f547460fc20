import { objectsOf } from "../../bench/epp/contenders.ts";
import { kinds } from "../../kubernetes/kinds/index.ts";
import type { KindAddress } from "../../kubernetes/kinds/kind.ts";
import { unplanned } from "../../kubernetes/kinds/unplanned.ts";
import { MiB } from "./bodies.ts";
import { type StoredObject, storedObject } from "./objects-server.ts";
import type { Attack, Stage } from "./stage.ts";

/** Owners of objects that a picker watches change them all the time. */

const perSecond = 50;
const tickMs = 20;
/** An API server takes objects of up to 1.5 MiB. */
const largest = 1.4 * MiB;
/** The API server's limit for all annotations of an object, in bytes. */
const annotations = 256 * 1024;
const namespace = "default";
const poolRef = { name: "pool" };

type Served = Pick<KindAddress, "apiVersion" | "plural" | "kind">;
type Version = (at: number, pods: readonly string[]) => readonly [Served, StoredObject];

/** Each of the objects changes `perSecond` times a second. */
function changing(finding: string, title: string, versions: readonly Version[]): Attack {
  return {
    ...{ finding, title, oursOnly: true, watchesObjects: true, mostP99: 20 },
    run: (stage, signal) => changeAll(stage, signal, versions),
  };
}

async function changeAll(
  { objects, pods, ended }: Stage,
  signal: AbortSignal,
  versions: readonly Version[],
): Promise<string> {
  if (objects === undefined) throw new Error("the picker of this attack has no API server");
  const started = performance.now();
  let changes = 0;
  await new Promise<void>((resolve) => {
    const tick = setInterval(() => {
      if (signal.aborted || ended() !== undefined) {
        clearInterval(tick);
        resolve();
        return;
      }
      const due = Math.floor(((performance.now() - started) / 1_000) * perSecond);
      for (; changes < due; changes += 1)
        for (const version of versions) objects.change(...version(changes, pods));
    }, tickMs);
  });
  const seconds = (performance.now() - started) / 1_000;
  return `${((changes * versions.length) / seconds).toFixed(0)} changes a second`;
}

/** A rewrite of about this many bytes, whose targets change. */
function rewrite(bytes: number, name = "large"): Version {
  const rule = (at: number, rule: number) => ({
    matches: Array.from({ length: 32 }, (_, match) => ({
      model: { type: "Exact", value: `${name}-m-${rule}-${match}-${"x".repeat(40)}` },
    })),
    targets: Array.from({ length: 16 }, (_, target) => ({
      modelRewrite: `t-${at}-${rule}-${target}`,
      weight: 1,
    })),
  });
  const rules = Math.ceil(bytes / JSON.stringify(rule(0, 0)).length);
  return versions(kinds.InferenceModelRewrite, name, (at) => ({
    ...{ poolRef, rules: Array.from({ length: rules }, (_, each) => rule(at, each)) },
  }));
}

/** The first version of an object, with a status that changes. */
function withStatus(version: Version): Version {
  const [kind, { metadata, rest }] = version(1, []);
  return (at) => [
    kind,
    { metadata, rest: `${rest},"status":{"parents":[{"conditions":[{"message":"${at}"}]}]}` },
  ];
}

function service(bytes: number): Version {
  const targets = (at: number) =>
    Array.from({ length: 64 }, (_, target) => ({
      name: `t-${at}-${target}`.padEnd(200, "x"),
      weight: 1,
    }));
  const models = Math.min(128, Math.ceil(bytes / JSON.stringify(targets(0)).length));
  return versions(kinds.LLMService, "large", (at) => ({
    poolRef: [poolRef],
    models: Array.from({ length: models }, (_, model) => ({
      name: `model-${model}`,
      targetModels: targets(at),
    })),
  }));
}

const objective = () =>
  versions(kinds.InferenceObjective, "large", (at) => ({ poolRef, priority: at }), filled);

/** A pod of the pool that is never ready. */
function pod(): Version {
  const env = Array.from({ length: 10_000 }, (_, name) => ({
    name: `VARIABLE_${name}`,
    value: "x".repeat(60),
  }));
  const spec = { containers: [{ name: "engine", env }] };
  const labels = { app: "model-server" };
  return versions(
    unplanned.Pod,
    "large",
    () => spec,
    (at) => ({ labels, ...filled(at) }),
  );
}

function pool(at: number, pods: readonly string[]): ReturnType<Version> {
  const [first] = objectsOf(pods);
  const [kind, { metadata, rest }] = storedObject(first ?? {});
  return [kind, { metadata: { ...metadata, ...filled(at) }, rest }];
}

const filled = (at: number) => ({
  annotations: { filled: `${at}-${'"'.repeat(annotations / 2)}` },
});

/** An object that has one of two specs, in turn. */
function versions(
  kind: Served,
  name: string,
  spec: (at: number) => object,
  metadata: (at: number) => object = () => ({}),
): Version {
  const specs = [0, 1].map((at) => `,"spec":${JSON.stringify(spec(at))}`);
  const creationTimestamp = "2026-01-01T00:00:00Z";
  return (at) => [
    kind,
    {
      metadata: { name, namespace, creationTimestamp, generation: at, ...metadata(at) },
      rest: specs[at % 2] ?? "",
    },
  ];
}

/** Some objects that change one after the other. */
function inTurn(count: number, version: (name: string) => Version): Version {
  const all = Array.from({ length: count }, (_, at) => version(`in-turn-${at}`));
  return (at, pods) => {
    const next = all[at % count] as Version;
    return next(Math.floor(at / count), pods);
  };
}

export const changingObjects: readonly Attack[] = [
  changing("F1", "a rewrite of 425 KB changes 50 times a second", [rewrite(425_000)]),
  changing("F1+", "a rewrite of 1.4 MiB changes 50 times a second", [rewrite(largest)]),
  changing("F1+", "the status of a rewrite of 1.4 MiB changes 50 times a second", [
    withStatus(rewrite(largest)),
  ]),
  changing("F1+", "20 rewrites of 425 KB change in turn, 50 times a second", [
    inTurn(20, (name) => rewrite(425_000, name)),
  ]),
  changing(
    "F1+",
    "30 rewrites of 30 KB change 10 times a second",
    [0, 1, 2, 3, 4, 5].map((lane) => inTurn(5, (name) => rewrite(30_000, `${name}-${lane}`))),
  ),
  {
    ...changing("F1+", "an object of each kind at its largest changes 50 times a second", [
      rewrite(largest),
      service(largest),
      objective(),
      pod(),
      pool,
    ]),
    heavy: true,
  },
];
