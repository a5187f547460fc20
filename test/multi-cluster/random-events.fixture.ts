import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { ApiError } from "../../kubernetes/api/api-error.ts";
import { annotation } from "../../sdk/names.ts";
import {
  addParent,
  annotate,
  applyImport,
  createNamespace,
  createPool,
  deletePool,
  setReady,
  type TestSet,
} from "./cluster-set.fixture.ts";

/** Events of a cluster set. They happen one after another. */
const anyEvent = fc.record({
  kind: fc.constantFrom(
    ...(["create", "create", "create", "delete", "export", "export", "mode"] as const),
    ...(["parent", "other", "ready", "namespace", "lose", "find", "restart"] as const),
  ),
  member: fc.nat(),
  namespace: fc.constantFrom("early", "late"),
  name: fc.constantFrom("one", "two"),
  export: fc.constantFrom("ClusterSet", "ClusterSet", "everywhere", null),
  mode: fc.constantFrom("EndpointMode", "ParentMode", "Nowhere", null),
  ready: fc.boolean(),
  pause: fc.constantFrom(0, 0, 10, 60, 250),
});

export interface RandomEvents {
  readonly seed: number;
  readonly count: number;
  /** Prefix of the namespaces; the namespace with `early` exists in all members, with a picker. */
  readonly prefix: string;
  readonly restart: () => Promise<void>;
}

/** Applies random events, the same events for the same seed. In the end every member can be reached. */
export async function happen(
  set: TestSet,
  { seed, count, prefix, restart }: RandomEvents,
): Promise<void> {
  for (const event of fc.sample(anyEvent, { seed, numRuns: count })) {
    const member = set.members[event.member % set.members.length];
    if (member === undefined) throw new Error("a set without members");
    const namespace = `${prefix}-${event.namespace}`;
    const { name } = event;
    const theirs = { name: "example.com/other", exportingClusters: [{ name: "elsewhere" }] };
    const done: Record<typeof event.kind, () => Promise<unknown>> = {
      create: () => createPool(member, namespace, name, { export: "ClusterSet" }),
      delete: () => deletePool(member, namespace, name),
      export: () => annotate(member, namespace, name, { [annotation.export]: event.export }),
      mode: () => annotate(member, namespace, name, { [annotation.exportMode]: event.mode }),
      parent: () => addParent(member, namespace, name),
      other: () => applyImport(member, namespace, name, { controllers: [theirs] }),
      ready: () => setReady(member, `${prefix}-early`, event.ready),
      namespace: () => createNamespace(member, namespace),
      lose: () => member.proxy.cut(),
      find: () => member.proxy.restore(),
      restart,
    };
    await done[event.kind]().catch(unlessOfTheMoment);
    await sleep(event.pause);
  }
  for (const { proxy } of set.members) await proxy.restore();
}

/** Accepts 404 and 409: an earlier event deleted the object, or created or changed it first. */
function unlessOfTheMoment(error: unknown): void {
  if (error instanceof ApiError && (error.status === 404 || error.status === 409)) return;
  throw error;
}
