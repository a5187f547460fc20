import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { stringify } from "yaml";
import { run } from "../../cli/sample.fixture.ts";
import type { ClustersPage } from "../../sdk/multi-cluster/clusters-page.ts";
import { annotation } from "../../sdk/names.ts";
import type { PickerProcess } from "../../testing/pods/picker-process.ts";
import {
  acceptRoute,
  addParent,
  annotate,
  applyImport,
  createGateway,
  createImport,
  createNamespace,
  createPicker,
  createPool,
  deletePool,
  exported,
  exporters,
  parents,
  readDetail,
  readImport,
  setReady,
  startController,
  startSet,
  type TestController,
  type TestMember,
  type TestSet,
  type TestSetOptions,
  writesWhenQuiet,
} from "./cluster-set.fixture.ts";
import { startProcess } from "./controller-process.fixture.ts";
import { describeFaults, type FaultsOptions } from "./faults.behaviour.ts";
import { describeProposal } from "./proposal.behaviour.ts";

/**
 * The controller over four API servers: what it creates, changes and withdraws, and how many writes that takes. The
 * same holds wherever the servers keep their data, and whichever InferencePoolImport they serve.
 */
export function describeClusterSet({
  thorough = false,
  ...options
}: Omit<TestSetOptions, "names"> & Partial<Pick<FaultsOptions, "thorough">>): void {
  let set: TestSet;
  let running: TestController;
  let namespace: string;
  let count = 0;

  const names = ["a", "b", "c", "d"];

  beforeAll(async () => {
    set = await startSet({ names, ...options });
  }, 240_000);
  afterAll(() => set?.stop());

  beforeEach(async () => {
    count += 1;
    namespace = `ns-${count}`;
    await Promise.all(set.members.map((member) => createNamespace(member, namespace)));
  });
  afterEach(() => running?.stop());

  const eventually = <T>(check: () => Promise<T>) =>
    vi.waitFor(check, { timeout: 20_000, interval: 50 });

  /** The exporters that each member's import lists. */
  const lists = async (pool = "pool") =>
    Object.fromEntries(
      await Promise.all(
        set.members.map(async (member) => [member.name, await exporters(member, namespace, pool)]),
      ),
    );

  /** Number of writes except patches of imports: those only write annotations that the status has no field for. */
  const total = (writes: Record<string, string[]>) =>
    Object.values(writes)
      .flat()
      .filter((write) => write !== "patch inferencepoolimports").length;

  /** How each exporting cluster is reached, according to a member. */
  const detail = async (member: TestMember) =>
    options.shipped.includes(member.name)
      ? await readDetail(member, namespace, "pool")
      : (await readImport(member, namespace, "pool"))?.status?.clusters;

  const ready = async (member: TestMember) =>
    (await readImport(member, namespace, "pool"))?.status?.controllers?.[0]?.conditions?.find(
      ({ type }) => type === "Ready",
    );

  describe("with imports into exporters", () => {
    beforeEach(async () => {
      running = startController(set.members, { importIntoExporters: true });
      await eventually(async () => expect(running.controller.settled).toBe(true));
      await writesWhenQuiet(set);
    });

    it("takes 2C+1 writes for a first export, C+1 for a second, C+1 for the last withdrawal", async () => {
      const a = set.member("a");
      await createPool(a, namespace, "pool", { export: "ClusterSet" });
      const all = (list: string[] | undefined) => ({ a: list, b: list, c: list, d: list });
      await eventually(async () => expect(await lists()).toEqual(all(["a"])));
      await eventually(async () =>
        expect(await exported(a, namespace, "pool")).toMatchObject({
          status: "True",
          message: "all members",
        }),
      );
      const first = await writesWhenQuiet(set);
      const target = ["create inferencepoolimports", "patch inferencepoolimports/status"];
      expect(first).toEqual({
        a: expect.arrayContaining([...target, "patch inferencepools/status"]),
        b: expect.arrayContaining(target),
        c: expect.arrayContaining(target),
        d: expect.arrayContaining(target),
      });
      expect(total(first)).toBe(2 * 4 + 1);

      const b = set.member("b");
      await createPool(b, namespace, "pool", { export: "ClusterSet" });
      await eventually(async () => expect(await lists()).toEqual(all(["a", "b"])));
      expect(total(await writesWhenQuiet(set))).toBe(4 + 1);

      await annotate(a, namespace, "pool", { [annotation.export]: null });
      await eventually(async () => expect(await lists()).toEqual(all(["b"])));
      await eventually(async () => expect(await exported(a, namespace, "pool")).toBeUndefined());
      expect(total(await writesWhenQuiet(set))).toBe(4 + 1);

      await annotate(b, namespace, "pool", { [annotation.export]: null });
      await eventually(async () => expect(await lists()).toEqual(all(undefined)));
      await eventually(async () => expect(await exported(b, namespace, "pool")).toBeUndefined());
      expect(total(await writesWhenQuiet(set))).toBe(4 + 1);
      expect(await readImport(a, namespace, "pool")).toBeUndefined();
    });
  });

  it("imports an export in the members that have the labels it is for, and says where each exporter is", async () => {
    running = startController(set.members);
    const { controller } = running;
    const [region, zone] = ["topology.kubernetes.io/region", "topology.kubernetes.io/zone"];
    controller.allow("a", { labels: { [region]: "eu", [zone]: "eu-1" } });
    controller.allow("b", { labels: { tier: "prod", [region]: "us" } });
    controller.allow("c", { labels: { tier: "test" } });
    const a = set.member("a");
    const message = () => exported(a, namespace, "pool");
    await createPool(a, namespace, "pool", {
      export: "ClusterSet",
      annotations: { [annotation.exportTo]: "tier in (prod, test)" },
    });
    const listed = { a: undefined, b: ["a"], c: ["a"], d: undefined };
    await eventually(async () => expect(await lists()).toEqual(listed));
    await eventually(async () =>
      expect(await message()).toMatchObject({
        status: "True",
        message: "all selected members",
      }),
    );
    for (const name of ["b", "c"])
      expect(await detail(set.member(name))).toMatchObject([
        { name: "a", locality: { region: "eu", zone: "eu-1" }, exportTo: "tier in (prod, test)" },
      ]);
    // A cluster that lost the label loses the import, and a cluster that got the label gets the import.
    controller.allow("c", { labels: {} });
    controller.allow("d", { labels: { tier: "prod" } });
    await eventually(async () =>
      expect(await lists()).toEqual({ ...listed, c: undefined, d: ["a"] }),
    );
    await annotate(a, namespace, "pool", { [annotation.exportTo]: "tier=" });
    await eventually(async () =>
      expect(await message()).toMatchObject({
        status: "False",
        reason: "NotSupported",
        message: expect.stringContaining('export-to is "tier="; allowed: a label selector'),
      }),
    );
    await eventually(async () =>
      expect(Object.values(await lists())).toEqual([undefined, undefined, undefined, undefined]),
    );
  });

  describe("without", () => {
    const start = async (...args: Parameters<typeof startController> | []) => {
      running =
        args.length > 0 ? startController(...(args as [never])) : startController(set.members);
      await eventually(async () => expect(running.controller.settled).toBe(true));
    };

    it.each(["b", "c"])(
      "creates the import that the proposal shows in every cluster but the exporting one: %s",
      async (name) => {
        const b = set.member(name);
        await start();
        const a = set.member("a");
        await createPicker(a, namespace, true);
        await createPool(a, namespace, "pool", { export: "ClusterSet", mode: "EndpointMode" });
        await eventually(async () =>
          expect(await lists()).toEqual({ a: undefined, b: ["a"], c: ["a"], d: ["a"] }),
        );
        await eventually(async () =>
          expect(await detail(b)).toMatchObject([
            {
              name: "a",
              routingMode: "EndpointMode",
              targetPortNumber: 8000,
              endpointPicker: {
                name: "epp",
                service: [
                  { type: "LoadBalancer", addresses: ["1.2.3.4"], ports: [{ number: 9002 }] },
                ],
                health: { port: 9003 },
                metrics: { port: 9090 },
              },
              conditions: [{ type: "Ready", status: "True", reason: "PickerReady" }],
            },
          ]),
        );
        expect(await ready(b)).toMatchObject({ status: "True" });
        if (!options.shipped.includes(name))
          expect((await readImport(b, namespace, "pool"))?.status).toMatchObject({
            conditions: [
              { type: "Accepted", status: "True" },
              { type: "Ready", status: "True" },
            ],
            observedGeneration: 1,
          });
        await setReady(a, namespace, false);
        await eventually(async () =>
          expect(await ready(b)).toMatchObject({
            status: "False",
            reason: "NoClusterReady",
          }),
        );
        await setReady(a, namespace, true);
        await eventually(async () => expect(await ready(b)).toMatchObject({ status: "True" }));
        // Endpoints no longer count once their slice is deleted, even if they were ready.
        await a.cluster.request(
          "DELETE",
          `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices/epp-1`,
        );
        await eventually(async () => expect(await ready(b)).toMatchObject({ status: "False" }));
        await annotate(a, namespace, "pool", { [annotation.export]: null });
        await eventually(async () =>
          expect(await readImport(b, namespace, "pool")).toBeUndefined(),
        );
        await eventually(async () =>
          expect(await readDetail(b, namespace, "pool")).toBeUndefined(),
        );
      },
    );

    it.each(["b", "c"])(
      "reaches a pool of ParentMode by the gateways of its routes: %s",
      async (name) => {
        const b = set.member(name);
        await start();
        const a = set.member("a");
        await createPool(a, namespace, "pool", { export: "ClusterSet", mode: "ParentMode" });
        await eventually(async () => expect(await detail(b)).toMatchObject([{ parents: [] }]));
        await createPicker(a, namespace, false);
        await createGateway(a, namespace, "pool");
        // A gateway before a picker that is not ready refuses every request.
        await eventually(async () =>
          expect(await detail(b)).toMatchObject([
            { parents: [{ name: "gateway" }], conditions: [{ reason: "PickerNotReady" }] },
          ]),
        );
        await setReady(a, namespace, true);
        // The same applies to a gateway that refused the route or reports nothing about it.
        await acceptRoute(a, namespace, false);
        await eventually(async () =>
          expect(await detail(b)).toMatchObject([{ conditions: [{ reason: "NoRouteAccepted" }] }]),
        );
        await acceptRoute(a, namespace, true);
        await eventually(async () =>
          expect(await detail(b)).toMatchObject([
            {
              name: "a",
              routingMode: "ParentMode",
              parents: [
                {
                  name: "gateway",
                  namespace,
                  service: [{ addresses: ["gateway.example.com"], ports: [{ number: 443 }] }],
                  conditions: [{ type: "Programmed", status: "True" }],
                },
              ],
              conditions: [{ type: "Ready", status: "True", reason: "ParentProgrammed" }],
            },
          ]),
        );
      },
    );

    it.each(["b", "c"])(
      "adds no more than its entry to an import that somebody else made: %s",
      async (name) => {
        const b = set.member(name);
        await start();
        const a = set.member("a");
        const theirs = { name: "example.com/other", exportingClusters: [{ name: "elsewhere" }] };
        await createImport(b, namespace, "pool", { controllers: [theirs] });
        await createPool(a, namespace, "pool", { export: "ClusterSet" });
        await eventually(async () => expect((await lists())[name]).toEqual(["a"]));
        await eventually(async () =>
          expect(await readDetail(b, namespace, "pool")).toMatchObject([{ name: "a" }]),
        );
        const before = await readImport(b, namespace, "pool");
        expect(before?.metadata.labels).toBeUndefined();
        expect(before?.status?.controllers?.[0]).toEqual(theirs);
        await deletePool(a, namespace, "pool");
        await eventually(async () => expect((await lists())[name]).toBeUndefined());
        const after = await readImport(b, namespace, "pool");
        expect(after?.metadata.uid).toBe(before?.metadata.uid);
        expect(after?.status).toEqual({ controllers: [theirs] });
      },
    );

    it.each(["b", "c"])(
      "leaves an import of its own to another controller that has exporters: %s",
      async (name) => {
        const b = set.member(name);
        await start();
        const a = set.member("a");
        await createPool(a, namespace, "pool", { export: "ClusterSet" });
        await eventually(async () => expect((await lists())[name]).toEqual(["a"]));
        const theirs = { name: "example.com/other", exportingClusters: [{ name: "elsewhere" }] };
        await applyImport(b, namespace, "pool", { controllers: [theirs] });
        await deletePool(a, namespace, "pool");
        await eventually(async () =>
          expect((await readImport(b, namespace, "pool"))?.metadata.labels ?? {}).toEqual({}),
        );
        expect((await readImport(b, namespace, "pool"))?.status).toEqual({ controllers: [theirs] });
        expect((await lists()).d).toBeUndefined();
      },
    );

    it("keeps what gateways say of a pool, and refuses what it does not know", async () => {
      await start();
      const a = set.member("a");
      await createPool(a, namespace, "pool", { export: "ClusterSet", mode: "Nowhere" });
      await eventually(async () =>
        expect(await exported(a, namespace, "pool")).toMatchObject({
          status: "False",
          reason: "NotSupported",
        }),
      );
      const theirs = await addParent(a, namespace, "pool");
      await annotate(a, namespace, "pool", { [annotation.exportMode]: "EndpointMode" });
      await eventually(async () =>
        expect(await exported(a, namespace, "pool")).toMatchObject({ status: "True" }),
      );
      expect((await parents(a, namespace, "pool"))[1]).toEqual(theirs);
      await annotate(a, namespace, "pool", { [annotation.export]: null });
      await eventually(async () => expect(await parents(a, namespace, "pool")).toEqual([theirs]));
    });

    it("says in all pools of a name that their protocols differ", async () => {
      await start();
      const [a, b] = [set.member("a"), set.member("b")];
      await createPool(a, namespace, "pool", { export: "ClusterSet" });
      await createPool(b, namespace, "pool", {
        export: "ClusterSet",
        appProtocol: "kubernetes.io/h2c",
      });
      const conflict = { type: "Conflict", status: "True", reason: "AppProtocolConflict" };
      for (const member of [a, b])
        await eventually(async () =>
          expect((await parents(member, namespace, "pool"))[0]?.conditions).toContainEqual(
            expect.objectContaining(conflict),
          ),
        );
      expect((await lists()).c).toEqual(["a", "b"]);
    });

    it("drains an import before it goes", async () => {
      await start(set.members, { drainMs: 1_500 });
      const a = set.member("a");
      await createPool(a, namespace, "pool", { export: "ClusterSet" });
      await eventually(async () => expect((await lists()).b).toEqual(["a"]));
      await deletePool(a, namespace, "pool");
      await eventually(async () => expect((await lists()).b).toEqual([]));
      expect(
        (await readImport(set.member("b"), namespace, "pool"))?.status?.controllers?.[0]
          ?.conditions,
      ).toMatchObject([
        { type: "Accepted", status: "False", reason: "ExportWithdrawn" },
        { type: "Ready", status: "False", reason: "ExportWithdrawn" },
      ]);
      await eventually(async () =>
        expect(await readImport(set.member("b"), namespace, "pool")).toBeUndefined(),
      );
    });

    it("writes nothing when it starts anew, nor for objects that are not its own", async () => {
      await start();
      await createPool(set.member("a"), namespace, "pool", { export: "ClusterSet" });
      await createPool(set.member("b"), namespace, "other");
      await eventually(async () =>
        expect(await exported(set.member("a"), namespace, "pool")).toMatchObject({
          status: "True",
        }),
      );
      await writesWhenQuiet(set);
      await running.stop();
      await start();
      expect(total(await writesWhenQuiet(set))).toBe(0);
      for (let at = 0; at < 20; at += 1)
        await annotate(set.member("b"), namespace, "other", { noise: String(at) });
      expect(total(await writesWhenQuiet(set))).toBe(0);
    });

    it("withdraws what was deleted while no controller ran", async () => {
      await start();
      await createPool(set.member("a"), namespace, "pool", { export: "ClusterSet" });
      await createPool(set.member("b"), namespace, "pool", { export: "ClusterSet" });
      await eventually(async () => expect((await lists()).d).toEqual(["a", "b"]));
      await running.stop();
      await deletePool(set.member("a"), namespace, "pool");
      await start();
      await eventually(async () =>
        expect(await lists()).toEqual({ a: ["b"], b: undefined, c: ["b"], d: ["b"] }),
      );
    });

    it("waits for namespaces, and says which is missing", async () => {
      await start();
      const a = set.member("a");
      const late = `${namespace}-late`;
      await createNamespace(a, late);
      await createPool(a, late, "pool", { export: "ClusterSet" });
      await eventually(async () =>
        expect(await exported(a, late, "pool")).toMatchObject({
          status: "False",
          reason: "Pending",
        }),
      );
      await createNamespace(set.member("b"), late);
      await eventually(async () =>
        expect(await exported(a, late, "pool")).toMatchObject({
          status: "False",
          reason: "PartiallyExported",
          message: `c: namespace "${late}" not found; d: namespace "${late}" not found`,
        }),
      );
      await createNamespace(set.member("c"), late);
      await createNamespace(set.member("d"), late);
      await eventually(async () =>
        expect(await exported(a, late, "pool")).toMatchObject({
          status: "True",
          reason: "Exported",
        }),
      );
    });

    it("keeps what a lost cluster exports, and catches up when it is back", async () => {
      await start(set.members);
      await createPool(set.member("a"), namespace, "pool", { export: "ClusterSet" });
      await eventually(async () => expect((await lists()).b).toEqual(["a"]));
      await set.member("a").proxy.cut();
      await running.stop();
      await start();
      // A lost cluster is known from the other clusters' imports.
      await createPool(set.member("b"), namespace, "pool", { export: "ClusterSet" });
      await eventually(async () =>
        expect(await lists()).toEqual({ a: undefined, b: ["a"], c: ["a", "b"], d: ["a", "b"] }),
      );
      expect(
        (await readImport(set.member("c"), namespace, "pool"))?.status?.controllers?.[0]
          ?.conditions,
      ).toMatchObject([
        { type: "Accepted", status: "True" },
        { type: "ExportersReachable", status: "False" },
        { type: "Ready" },
      ]);
      await set.member("a").proxy.restore();
      await eventually(async () =>
        expect(await lists()).toEqual({ a: ["b"], b: ["a"], c: ["a", "b"], d: ["a", "b"] }),
      );
    });

    it("withdraws what it wrote in a cluster that leaves, and what that exported", async () => {
      await start();
      await createPool(set.member("a"), namespace, "pool", { export: "ClusterSet" });
      await createPool(set.member("b"), namespace, "pool", { export: "ClusterSet" });
      await eventually(async () => expect((await lists()).c).toEqual(["a", "b"]));
      await eventually(async () =>
        expect(await exported(set.member("b"), namespace, "pool")).toMatchObject({
          status: "True",
        }),
      );
      await running.controller.leave("b");
      expect(await readImport(set.member("b"), namespace, "pool")).toBeUndefined();
      expect(await exported(set.member("b"), namespace, "pool")).toBeUndefined();
      await eventually(async () =>
        expect(await lists()).toEqual({ a: undefined, b: undefined, c: ["a"], d: ["a"] }),
      );
    });

    it("refuses a second name for one cluster, and goes on with the rest", async () => {
      const twice = { ...set.member("a"), name: "again" };
      await start([...set.members, twice]);
      await createPool(set.member("a"), namespace, "pool", { export: "ClusterSet" });
      await eventually(async () =>
        expect(await lists()).toEqual({ a: undefined, b: ["a"], c: ["a"], d: ["a"] }),
      );
      expect(running.controller.refusal("again")).toMatch(/is the same cluster as a/);
      expect(running.log.join("")).toMatch(/member refused/);
    });
  });

  describeProposal(() => set, options.shipped);

  describe("when something breaks", () => {
    describeFaults({ set: () => set, shipped: options.shipped, thorough });
  });

  describe("as a process", () => {
    let folder: string;
    const file = () => join(folder, "members.yaml");
    const write = (...named: string[]) => {
      const members = named.map((name) => ({ name, kubeconfig: set.member(name).kubeconfig }));
      writeFileSync(file(), stringify({ members }));
    };
    let running: PickerProcess;
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), "pulumi-inference-members-"));
      write("a", "b", "c");
      running = await startProcess([
        `--members-file=${file()}`,
        `--hub=${set.member("a").kubeconfig}`,
        "--import-grace-period=0",
      ]);
    });
    afterEach(async () => {
      await running?.stop();
      rmSync(folder, { recursive: true });
    });

    it("takes in members that are named, lets go of those that are not, and tells of them", async () => {
      const [a, b] = [set.member("a"), set.member("b")];
      await createPool(a, namespace, "pool", { export: "ClusterSet" });
      await createPool(b, namespace, "pool", { export: "ClusterSet" });
      await eventually(async () =>
        expect(await lists()).toEqual({ a: ["b"], b: ["a"], c: ["a", "b"], d: undefined }),
      );
      write("a", "c", "d");
      await eventually(async () =>
        expect(await lists()).toEqual({ a: undefined, b: undefined, c: ["a"], d: ["a"] }),
      );
      await eventually(async () => expect(await exported(b, namespace, "pool")).toBeUndefined());
      const url = `http://127.0.0.1:${running.ports.metrics}`;
      await eventually(async () => {
        const { out } = await run(["clusters", "--url", url, "--format", "json"]);
        const page = JSON.parse(out) as ClustersPage;
        expect(page.members.map(({ name, state }) => [name, state])).toEqual([
          ["a", "current"],
          ["c", "current"],
          ["d", "current"],
        ]);
        const pool = `${namespace}/pool`;
        expect(page.members[0]?.exports.find((each) => each.pool === pool)).toEqual({
          pool,
          exported: true,
          reason: "Exported",
          message: "all members",
        });
        expect(page.members[1]?.imports.find(({ name }) => name === pool)).toMatchObject({
          clusters: ["a"],
        });
      });
      const metrics = await (await fetch(`${url}/metrics`)).text();
      expect(metrics).toMatch(/^multi_cluster_members\{member="d",state="current"\} 1$/m);
      expect(metrics).toMatch(/^multi_cluster_leader 1$/m);
    });

    it("takes new credentials of a member", async () => {
      const b = set.member("b");
      await eventually(async () => expect(running.log()).toContain("members read"));
      const good = readFileSync(b.kubeconfig, "utf8");
      const rotated = join(folder, "b");
      writeFileSync(rotated, good.replace(/"token":"[^"]*"/, '"token":"expired"'));
      writeFileSync(
        file(),
        stringify({
          members: [
            { name: "a", kubeconfig: set.member("a").kubeconfig },
            { name: "other", kubeconfig: "b" },
          ],
        }),
      );
      await eventually(async () => expect(running.log()).toMatch(/"member":"other".*401/));
      writeFileSync(rotated, good);
      await createPool(set.member("a"), namespace, "pool", { export: "ClusterSet" });
      await eventually(async () => expect((await lists()).b).toEqual(["a"]));
    });
  });
}
