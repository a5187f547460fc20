import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import type { ImportedCluster } from "../../sdk/multi-cluster/import-schema.ts";
import { planImportedPool } from "../../sdk/plan/multi-cluster/imported-pool.ts";
import { parseKind } from "../../sdk/validate/spec-kind.ts";
import { importedPoolSpecKind } from "../../sdk/validate/spec-kinds.ts";
import { collectionPath, objectPath } from "../../testing/object-path.ts";
import { readDocuments } from "../../testing/repository.ts";
import {
  createNamespace,
  makeReachable,
  readDetail,
  readImport,
  startController,
  type TestController,
  type TestSet,
} from "./cluster-set.fixture.ts";

interface Document extends Manifest {
  status?: {
    readonly clusters: readonly ImportedCluster[];
    readonly conditions: ReadonlyArray<{ readonly type: string; readonly status: string }>;
  };
}

const documents = (file: string) => readDocuments<Document>(`test/fixtures/design/${file}.yaml`);

/** The objects of the proposal, applied unchanged, and the result that it shows for them. */
export function describeProposal(theSet: () => TestSet, shipped: readonly string[]): void {
  describe("the proposal's example", () => {
    let running: TestController;
    const [shownImport, shownRoute] = documents("multi-cluster-importing") as [Document, Document];

    beforeAll(async () => {
      await Promise.all(theSet().members.map((member) => createNamespace(member, "example")));
      running = startController(theSet().members);
    }, 60_000);
    afterAll(() => running.stop());

    it("is imported as shown, wherever it is not exported", async () => {
      const [exporting, ...others] = theSet().members;
      if (exporting === undefined) throw new Error("the set is empty");
      for (const document of documents("multi-cluster-exporting"))
        await exporting.cluster.request("POST", collectionPath(document), document);
      await makeReachable(exporting, "example", true);
      for (const member of others) {
        const expected = (shownImport.status?.clusters ?? []).map((shown) => ({
          ...shown,
          name: exporting.name,
        }));
        await vi.waitFor(
          async () => {
            const found = await readImport(member, "example", "llm-pool");
            const clusters = shipped.includes(member.name)
              ? await readDetail(member, "example", "llm-pool")
              : found?.status?.clusters;
            expect(clusters).toMatchObject(expected);
            const { conditions } = shipped.includes(member.name)
              ? (found?.status?.controllers?.[0] ?? {})
              : (found?.status ?? {});
            expect(conditions).toMatchObject(shownImport.status?.conditions ?? []);
          },
          { timeout: 20_000, interval: 50 },
        );
      }
      expect(await readImport(exporting, "example", "llm-pool")).toBeUndefined();
    });

    it("is routed to as shown, by an ImportedInferencePool", async () => {
      const [, member] = theSet().members;
      const { parentRefs, hostnames, rules } = shownRoute.spec as unknown as {
        parentRefs: object[];
        hostnames: string[];
        rules: Array<{ matches: object[] }>;
      };
      const [route] = planImportedPool(
        parseKind(importedPoolSpecKind, {
          metadata: { name: "llm-pool", namespace: "example" },
          spec: { parentRefs, hostnames, matches: rules[0]?.matches },
        }),
      );
      const made: Document[] = [];
      for (const manifest of [shownRoute, route as Document]) {
        await member?.cluster.request("POST", collectionPath(manifest), manifest);
        made.push(
          (await member?.cluster.request<Document>("GET", objectPath(manifest))) as Document,
        );
      }
      expect(made[1]?.spec).toEqual(made[0]?.spec);
    });
  });
}
