import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { startScriptedServer, TestTime } from "../../kubernetes/api/api-server.fixture.ts";
import { newKubernetesClient } from "../../kubernetes/api/client.ts";
import { Reflector } from "../../kubernetes/cache/reflector.ts";
import { isObject, type KubernetesObject } from "../../kubernetes/values/object.ts";
import * as picker from "../../runtime/epp/sources/read-objects.ts";
import { isNamed } from "../../runtime/multi-cluster/controller/member-shapes.ts";
import { readImport } from "../../runtime/multi-cluster/controller/read-import.ts";
import {
  readGateway,
  readService as readMemberService,
  readRoute,
  readSlice,
} from "../../runtime/multi-cluster/controller/read-network.ts";
import { readPool as readMemberPool } from "../../runtime/multi-cluster/controller/read-pool.ts";
import * as imports from "../../runtime/multi-cluster/imports/read-import.ts";
import * as status from "../../runtime/programs/status-controller/read-objects.ts";
import { desired } from "../../sdk/multi-cluster/desired.ts";
import type { MemberView } from "../../sdk/multi-cluster/view.ts";
import { annotation } from "../../sdk/names.ts";
import { readLLMService } from "../../sdk/routing/read-llm-service.ts";
import { readModelRewrite } from "../../sdk/routing/read-model-rewrite.ts";
import { bytes, inPieces, spoiled, spoiledObject } from "./arbitraries.ts";
import { assertInWords, refused, target } from "./target.ts";

/** Responses of API servers, including API servers of other clusters, and the objects in them. */

const metadata = {
  namespace: "ml",
  name: "pool",
  uid: "u",
  resourceVersion: "7",
  creationTimestamp: "2026-01-01T00:00:00Z",
  labels: { app: "a", "app.kubernetes.io/managed-by": "x" },
  annotations: { "llm-d.ai/active-ports": "8000" },
};
const conditions = [
  {
    ...{ type: "Ready", status: "True", reason: "Ready", message: "m" },
    lastTransitionTime: "2026-01-01T00:00:00Z",
  },
];
const poolRef = { group: "inference.networking.k8s.io", kind: "InferencePool", name: "pool" };
const parent = { parentRef: { name: "gateway" }, controllerName: "example.com/c", conditions };
const cluster = {
  ...{ name: "b", routingMode: "EndpointMode", conditions, networks: ["10.0.0.0/8"] },
  endpointPicker: {
    ...{ name: "epp", health: { port: 9003 }, metrics: { port: 9090 } },
    service: [{ addresses: ["10.0.0.1"], ports: [{ number: 9002 }] }],
  },
  parents: [{ service: [{ addresses: ["10.0.0.2"] }], conditions }],
};
const detail = spoiledObject(fc.constant({ controller: "example.com/c", clusters: [cluster] })).map(
  (value) => JSON.stringify(value) ?? "",
);
const detailed = detail.map((text) => ({
  metadata: { ...metadata, annotations: { [annotation.importDetail]: text } },
}));
const object = spoiledObject(
  fc.oneof(
    detailed,
    fc.constantFrom<object[]>(
      {
        metadata: { ...metadata, annotations: { "networking.x-k8s.io/export": "ClusterSet" } },
        spec: {
          selector: { matchLabels: { app: "a" } },
          targetPorts: [{ number: 8000 }],
          endpointPickerRef: { name: "epp", port: { number: 9002 } },
        },
        status: { parents: [parent] },
      },
      { metadata, status: { podIP: "10.0.0.1", conditions } },
      { metadata, spec: { poolRef, priority: 1 } },
      {
        metadata,
        spec: {
          poolRef,
          rules: [
            {
              matches: [{ model: { value: "a" } }],
              targets: [{ modelRewrite: "b", weight: 1 }],
            },
          ],
        },
      },
      {
        metadata,
        spec: {
          poolRef,
          model: { name: "a", targetModels: [{ name: "b", weight: 1 }] },
          objective: { desiredAveragePerOutputTokenLatencyP95OverMultiplePrompts: "50ms" },
        },
      },
      {
        metadata,
        status: {
          clusters: [cluster],
          conditions,
          controllers: [{ name: "example.com/c", exportingClusters: [{ name: "b" }], conditions }],
        },
      },
      {
        metadata,
        spec: { type: "ClusterIP", clusterIP: "10.0.0.1", ports: [{ port: 80 }] },
        status: { loadBalancer: { ingress: [{ ip: "10.0.0.1" }] } },
      },
      { metadata, endpoints: [{ conditions: { ready: true } }] },
      {
        metadata,
        spec: {
          parentRefs: [{ name: "gateway" }],
          rules: [{ backendRefs: [poolRef] }],
          listeners: [{ name: "http", port: 80 }],
        },
        status: { addresses: [{ value: "10.0.0.1" }], conditions },
      },
    ),
  ),
);

const ignored = () => {};
/** Readers that are called within their own guard, and report problems as text. */
const readers: ReadonlyArray<(object: unknown) => unknown> = [
  (it) => picker.readPool(it, "inference.networking.k8s.io"),
  picker.readPod,
  picker.readObjective,
  readModelRewrite,
  readLLMService,
  (it) => imports.readImport(it, ignored),
];

const controllerName = "example.com/c";
/** Parsers by which the controllers keep objects with metadata, as the reflector passes them on. */
const trims: ReadonlyArray<(object: KubernetesObject) => unknown> = [
  status.readPool,
  status.readService,
  status.readServerPool,
  status.readRewrite,
  readMemberPool,
  readImport(controllerName),
  readMemberService,
  readSlice,
  readRoute,
  readGateway,
];

/** The same as in a followed cluster: an object that cannot be read counts as absent. */
function kept<T>(read: (object: KubernetesObject) => T, object: unknown): T | undefined {
  try {
    return isObject(object) && isNamed(object) ? read(object) : undefined;
  } catch {
    return undefined;
  }
}

interface Member {
  readonly pool: unknown;
  readonly import: unknown;
  readonly service: unknown;
  readonly gateway: unknown;
}

const viewOf = (name: string, member: Member): MemberView => {
  const pool = kept(readMemberPool, member.pool);
  return {
    ...{ name, role: "member", exportDenied: undefined, contact: "current", silenceMs: undefined },
    ...{ bounds: { networks: undefined, maxEndpoints: undefined }, labels: {}, failure: undefined },
    ...{ imports: "superset", namespace: "active" },
    pool: pool && {
      ...pool,
      picker: pool.picker && {
        ...pool.picker,
        service: kept(readMemberService, member.service),
        ready: 1,
      },
      gateways: [kept(readGateway, member.gateway)].flatMap((gateway) =>
        gateway === undefined
          ? []
          : {
              ...gateway,
              namespace: "ml",
              name: "gateway",
              ports: gateway.listeners.map(({ port }) => port),
            },
      ),
    },
    import: kept(readImport(controllerName), member.import),
  } as MemberView;
};

type Answer =
  | { readonly kind: "list"; readonly code: number; readonly body: Buffer; readonly retry: string }
  | { readonly kind: "watch"; readonly pieces: readonly Buffer[]; readonly broken: boolean };

const list = fc
  .record({
    items: fc.array(object, { maxLength: 4 }),
    version: fc.oneof(fc.constant("8"), fc.jsonValue({ maxDepth: 1 })),
    next: fc.option(fc.string(), { nil: undefined }),
  })
  .map(({ items, version, next }) => ({
    kind: "List",
    metadata: { resourceVersion: version, continue: next },
    items,
  }));
const refusal = fc.record({
  kind: fc.constant("Status"),
  code: fc.oneof(fc.nat(700), fc.jsonValue({ maxDepth: 1 })),
  reason: fc.oneof(fc.string(), fc.jsonValue({ maxDepth: 1 })),
  message: fc.oneof(fc.string(), fc.jsonValue({ maxDepth: 1 })),
  details: fc.oneof(fc.record({ retryAfterSeconds: fc.double() }), fc.jsonValue({ maxDepth: 1 })),
});
const json = (value: fc.Arbitrary<unknown>) =>
  value.map((it) => Buffer.from(JSON.stringify(it) ?? ""));
const eventType = fc.constantFrom("ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR", "X");
const line = fc.oneof(
  fc.tuple(eventType, fc.oneof(object, refusal)).map(([type, it]) => ({ type, object: it })),
  fc.jsonValue({ maxDepth: 2 }),
);
const events = fc
  .array(json(line), { maxLength: 5 })
  .map((lines) => Buffer.concat(lines.flatMap((each) => [each, Buffer.from("\n")])));
const answer: fc.Arbitrary<Answer> = fc.oneof(
  fc.record({
    kind: fc.constant("list" as const),
    code: fc.oneof({ weight: 3, arbitrary: fc.constant(200) }, fc.integer({ min: 200, max: 599 })),
    body: fc.oneof(json(list), json(refusal), spoiled(json(list)), bytes(100)),
    retry: fc.constantFrom("", "1", "9999999", "-1", "x"),
  }),
  fc.record({
    kind: fc.constant("watch" as const),
    pieces: inPieces(fc.oneof(events, spoiled(events))),
    broken: fc.boolean(),
  }),
);

/** A reflector survives these answers and reports the problem of each. */
async function reflect(answers: readonly Answer[], which: number): Promise<void> {
  const server = await startScriptedServer();
  const client = newKubernetesClient(server.config);
  const failures: unknown[] = [];
  const reflector = new Reflector<unknown>({
    ...{ client, path: "/api/v1/pods", time: new TestTime() },
    trim: (it) => trims[which % trims.length]?.(it),
    onState: (state) => {
      if (state.kind === "failing") failures.push(state.error);
    },
  });
  reflector.start();
  try {
    for (const it of answers) {
      const request = await soon(server.next());
      if (it.kind === "list") {
        const headers: Record<string, string> = it.retry === "" ? {} : { "retry-after": it.retry };
        request.response.writeHead(it.code, headers).end(it.body);
      } else {
        for (const piece of it.pieces) request.write(piece);
        if (it.broken) request.break();
        else request.end();
      }
    }
    await soon(server.next());
  } finally {
    await reflector.stop();
    client.close();
    await server.close();
  }
  for (const failure of failures) {
    assertInWords(failure);
    const { cause } = failure as Error;
    if (cause instanceof TypeError || cause instanceof RangeError) throw cause;
  }
}

function soon<T>(promise: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const late = sleep(10_000, undefined, { signal: timer.signal }).then(() => {
    throw new Error("the reflector asks no more");
  });
  late.catch(() => {});
  return Promise.race([promise, late]).finally(() => timer.abort());
}

export const apiServerTargets = [
  target(
    "answers of an API server to a reflector",
    fc.tuple(fc.array(answer, { maxLength: 6 }), fc.nat(100)),
    ([answers, which]) => reflect(answers, which),
  ),
  target("objects of an API server", object, (it) => {
    for (const read of readers) refused(() => read(it));
  }),
  target(
    "what members of a cluster set say",
    fc.tuple(
      ...(["one", "two"] as const).map(() =>
        fc.record({
          ...{ pool: object, import: object },
          ...{ service: object, gateway: object },
        }),
      ),
    ),
    (members) => {
      const views = members.map((member, at) => viewOf(`member-${at}`, member));
      const options = {
        controllerName,
        importIntoExporters: true,
        staleAfterMs: 0,
        drainMs: 30_000,
      };
      desired({ namespace: "ml", name: "pool", members: views }, options, Date.now());
    },
  ),
];
