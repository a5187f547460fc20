import fc from "fast-check";
import type {
  Condition,
  ImportView,
  MemberView,
  MultiClusterOptions,
  NameView,
  PoolParent,
  PoolView,
} from "./view.ts";
import type { Write } from "./writes.ts";

/** Random cluster sets, and API servers that apply writes. */

export const controllerName = "example.com/controller";
export const now = Date.parse("2026-01-01T12:00:00Z");

const names = ["a", "b", "c", "d"];
/** Name of a cluster that is no longer a member. */
const former = "former";

const condition = (type: string, reason: string, status: Condition["status"]): Condition => ({
  type,
  status,
  reason,
  message: "",
  lastTransitionTime: "2026-01-01T11:00:00Z",
});

/** Type of a condition of an import that another controller writes. */
const foreignType = "Programmed";

export const foreignConditions = ({ conditions }: ImportView): readonly Condition[] =>
  conditions.filter(({ type }) => type === foreignType);

const gatewayParent = (at: number): PoolParent => ({
  parentRef: { group: "gateway.networking.k8s.io", kind: "Gateway", name: `gateway-${at}` },
  controllerName: "example.com/gateway",
  conditions: [condition("Accepted", "Accepted", "True")],
});

export const ownParent = (conditions: readonly Condition[]): PoolParent => ({
  parentRef: {
    group: "inference.networking.x-k8s.io",
    kind: "InferencePoolImport",
    namespace: "ml",
    name: "pool",
  },
  controllerName,
  conditions,
});

const gateway = fc
  .record({
    status: fc.constantFrom<"True" | "False">("True", "False"),
    acceptsRoute: fc.boolean(),
  })
  .map(({ status, acceptsRoute }) => ({
    acceptsRoute,
    namespace: "ml",
    name: "gateway",
    addresses: ["192.0.2.1"],
    ports: [80],
    programmed: condition("Programmed", "Programmed", status),
  }));

const picker = fc.record({
  name: fc.constant("epp"),
  port: fc.constant(9002),
  ready: fc.nat({ max: 2 }),
  service: fc.option(
    fc.record({
      type: fc.constantFrom<"ClusterIP" | "LoadBalancer" | "ExternalName">(
        "ClusterIP",
        "ClusterIP",
        "LoadBalancer",
        "ExternalName",
      ),
      addresses: fc.constantFrom(["192.0.2.2"], []),
      ports: fc.constantFrom([9002], [9002, 9003, 9090]),
    }),
    { nil: undefined },
  ),
});

const pool: fc.Arbitrary<PoolView> = fc
  .record({
    deleting: often(false, true),
    export: fc.constantFrom(undefined, "ClusterSet", "ClusterSet", "ClusterSet", "clusterset"),
    exportMode: fc.constantFrom(undefined, "EndpointMode", "ParentMode", "Nowhere"),
    exportTo: fc.constantFrom(
      undefined,
      undefined,
      "tier=prod",
      "tier notin (prod)",
      "=no selector",
    ),
    appProtocol: often("http", "kubernetes.io/h2c"),
    targetPort: fc.constantFrom(8000, 8080),
    picker: fc.option(picker, { nil: undefined }),
    gateways: fc.array(gateway, { maxLength: 1 }),
    others: fc.constantFrom(0, 1, 2, 31, 32),
    entry: fc.option(
      fc.constantFrom(
        [condition("Exported", "Exported", "True")],
        [{ ...condition("Exported", "PartiallyExported", "False"), message: "b: why; d: why" }],
        [condition("Conflict", "AppProtocolConflict", "True")],
      ),
      { nil: undefined },
    ),
  })
  .map(({ others, entry, ...rest }) => {
    const parents = Array.from({ length: others }, (_, at) => gatewayParent(at));
    if (entry !== undefined && others < 32) parents.splice(others >> 1, 0, ownParent(entry));
    return { ...rest, uid: "pool", resourceVersion: "1", parents };
  });

const import_: fc.Arbitrary<ImportView> = fc.record({
  uid: fc.constant("import"),
  resourceVersion: fc.constant("1"),
  generation: fc.constant(1),
  deleting: often(false, true),
  ours: fc.boolean(),
  others: fc.constantFrom(
    [],
    [],
    [
      {
        name: "example.com/gateway",
        parents: [{ parentRef: { group: "", kind: "Gateway", name: "g" } }],
      },
    ],
    [{ name: "example.com/other", exportingClusters: [{ name: "elsewhere" }] }],
  ),
  entry: fc.option(
    fc.oneof(
      fc.record({
        exporters: fc.subarray([...names, former]),
        conditions: fc.constantFrom([], [condition("Accepted", "Accepted", "True")]),
      }),
      fc.constant({
        exporters: [],
        conditions: [condition("Accepted", "ExportWithdrawn", "False")],
      }),
    ),
    { nil: undefined },
  ),
  clusters: fc.constantFrom(
    [],
    names.map((name) => ({
      name,
      routingMode: "EndpointMode" as const,
      targetPortNumber: 8000,
    })),
  ),
  conditions: fc.constantFrom(
    [],
    [condition("Accepted", "Accepted", "True")],
    [condition("Accepted", "Accepted", "True"), condition(foreignType, "Programmed", "True")],
  ),
  observedGeneration: fc.constantFrom(undefined, 1),
  detail: fc.option(
    fc.record({ ours: often(true, false), clusters: fc.constantFrom(undefined, []) }),
    { nil: undefined },
  ),
});

function often<T>(usual: T, seldom: T): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constant(seldom) },
  );
}

const member = (name: string): fc.Arbitrary<MemberView> =>
  fc
    .record({
      role: often<MemberView["role"]>("member", "leaving"),
      joinedLate: often(false, true),
      exportDenied: fc.constant(undefined),
      bounds: fc.constant({}),
      labels: fc.constantFrom<Record<string, string>>({}, { tier: "prod" }, { tier: "test" }),
      contact: fc.oneof(
        { weight: 5, arbitrary: fc.constant<MemberView["contact"]>("current") },
        {
          weight: 2,
          arbitrary: fc.constantFrom<MemberView["contact"]>(
            "failing",
            "unreachable",
            "unknown",
            "starting",
          ),
        },
      ),
      silenceMs: fc.constantFrom(1_000, 100_000),
      imports: fc.constantFrom<MemberView["imports"]>(
        "superset",
        "superset",
        "shipped",
        "shipped",
        "absent",
      ),
      namespace: fc.oneof(
        { weight: 6, arbitrary: fc.constant<MemberView["namespace"]>("active") },
        {
          weight: 1,
          arbitrary: fc.constantFrom<MemberView["namespace"]>("terminating", "absent"),
        },
      ),
      pool: fc.option(pool, { nil: undefined }),
      import: fc.option(import_, { nil: undefined }),
      failure: often<string | undefined>(undefined, "403 Forbidden"),
    })
    .map((fields): MemberView => {
      const isKnown = fields.contact !== "unknown" && fields.contact !== "starting";
      const hasObjects = isKnown && fields.namespace !== "absent";
      const servesImports = hasObjects && fields.imports !== "absent";
      return {
        ...fields,
        name,
        silenceMs: fields.contact === "current" ? undefined : fields.silenceMs,
        imports: isKnown ? fields.imports : "absent",
        namespace: isKnown ? fields.namespace : "absent",
        pool: hasObjects ? fields.pool : undefined,
        import: servesImports ? fields.import : undefined,
      };
    });

export const anyView: fc.Arbitrary<NameView> = fc
  .tuple(...names.map(member))
  .chain((members) => fc.subarray(members, { minLength: 1 }))
  .map((members) => ({ namespace: "ml", name: "pool", members }));

export const anyOptions: fc.Arbitrary<MultiClusterOptions> = fc.record({
  controllerName: fc.constant(controllerName),
  importIntoExporters: fc.boolean(),
  staleAfterMs: fc.constantFrom(0, 50_000),
  drainMs: fc.constantFrom(0, 30_000),
});

/** Returns the member after a write, as an API server stores it. Throws for a write that an API server would refuse. */
export function afterWrite(member: MemberView, write: Write): MemberView {
  const { import: it, pool } = member;
  const must = (holds: boolean) => {
    if (!holds)
      throw new Error(`${member.name}: ${write.kind} is refused: ${JSON.stringify(member)}`);
  };
  const next = (version: string) => String(Number(version) + 1);
  switch (write.kind) {
    case "create-import":
      must(it === undefined && member.namespace === "active" && member.imports !== "absent");
      must((write.clusters === undefined) === (member.imports === "superset"));
      return {
        ...member,
        import: {
          ...newImport,
          detail: write.clusters && { ours: true, clusters: write.clusters },
        },
      };
    case "apply-import": {
      must(it !== undefined && it.uid === write.uid);
      const [entry] = write.status.controllers;
      const { clusters, conditions, observedGeneration } = write.status;
      must(member.imports === "superset" || (clusters ?? conditions) === undefined);
      return {
        ...member,
        import: {
          ...(it as ImportView),
          entry: entry && {
            exporters: (entry.exportingClusters ?? []).map(({ name }) => name),
            conditions: entry.conditions ?? [],
          },
          ...((it as ImportView).ours && {
            clusters: clusters ?? [],
            // Conditions are a map by type; conditions of other writers stay.
            conditions: [...(conditions ?? []), ...foreignConditions(it as ImportView)],
            observedGeneration,
          }),
          resourceVersion: next((it as ImportView).resourceVersion),
        },
      };
    }
    case "clear-import":
      must(it?.resourceVersion === write.resourceVersion);
      return {
        ...member,
        import: {
          ...(it as ImportView),
          entry: undefined,
          others: write.status.controllers,
          ...(write.status.clusters === null && { clusters: [] }),
          ...("conditions" in write.status && { conditions: write.status.conditions ?? [] }),
          resourceVersion: next((it as ImportView).resourceVersion),
        },
      };
    case "release-import":
      must(it?.ours === true && it.resourceVersion === write.resourceVersion);
      return { ...member, import: { ...(it as ImportView), ours: false } };
    case "delete-import":
      must(it !== undefined && it.uid === write.uid);
      return { ...member, import: undefined };
    case "write-detail": {
      const { clusters } = write;
      must(it?.uid === write.uid && it.detail?.ours !== false);
      return { ...member, import: { ...(it as ImportView), detail: { ours: true, clusters } } };
    }
    case "remove-detail":
      must(it?.uid === write.uid && it.detail?.ours === true);
      return { ...member, import: { ...(it as ImportView), detail: undefined } };
    case "write-parents":
      must(pool?.resourceVersion === write.resourceVersion && write.parents.length <= 32);
      return {
        ...member,
        pool: {
          ...(pool as PoolView),
          parents: write.parents,
          resourceVersion: next((pool as PoolView).resourceVersion),
        },
      };
  }
}

const newImport: ImportView = {
  uid: "new-import",
  resourceVersion: "1",
  generation: 1,
  deleting: false,
  ours: true,
  entry: undefined,
  others: [],
  clusters: [],
  conditions: [],
  observedGeneration: undefined,
  detail: undefined,
};
