import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type AttachedCluster, freshNamespace } from "../../testing/api/cluster.ts";
import { sharedCluster } from "../../testing/clusters/shared-cluster.ts";
import { killedStack } from "../../testing/programs/killed-stack.ts";
import { isUnchanged, type OperationResult } from "../../testing/programs/operation-result.ts";
import { succeeded } from "../../testing/succeeded.ts";
import { objectsOf } from "./objects-of.ts";
import { type ServiceStackOptions, serviceStack, token } from "./service-stack.ts";

/** An up of a service, killed right after one of its writes: the next one finishes it. */

let cluster: AttachedCluster;
let directory: string;
let namespace: string;
beforeAll(async () => {
  cluster = await sharedCluster();
}, 120_000);
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "interrupted-"));
  namespace = await freshNamespace(cluster, "interrupted");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));
afterAll(() => cluster?.detach());

const optionsOf = (edition: ServiceStackOptions["edition"]): ServiceStackOptions => ({
  ...{ kubeconfig: cluster.kubeconfig, directory, namespace, edition },
});
const stack = (edition: ServiceStackOptions["edition"]) => serviceStack(optionsOf(edition));

const upKilledAfter = (write: number, edition: ServiceStackOptions["edition"]) =>
  killedStack({
    ...{ at: write, when: "after", folder: directory, kubeconfig: cluster.kubeconfig },
    open: (kubeconfig) => serviceStack({ ...optionsOf(edition), kubeconfig }),
  });

const editions = {
  first: [
    "configmaps/svc-pool-parents-agent",
    "deployments/svc-epp",
    "deployments/svc-pool-parents-agent",
    "httproutes/svc-httproute",
    "inferencepools/svc-pool",
    "leaderworkersets/svc-decode-0",
    "leaderworkersets/svc-decode-1",
    "leaderworkersets/svc-prefill-0",
    "poddisruptionbudgets/svc-decode",
    "poddisruptionbudgets/svc-prefill",
    "podgroups/svc",
    "rolebindings/svc-epp",
    "rolebindings/svc-pd-sidecar",
    "rolebindings/svc-pool-parents-agent",
    "roles/svc-epp",
    "roles/svc-pd-sidecar",
    "roles/svc-pool-parents-agent",
    "serviceaccounts/svc-epp",
    "serviceaccounts/svc-pd-sidecar",
    "serviceaccounts/svc-pool-parents-agent",
    "services/svc-epp",
  ],
  second: [
    "leaderworkersets/svc-decode-0",
    "leaderworkersets/svc-prefill-0",
    "poddisruptionbudgets/svc-decode",
    "poddisruptionbudgets/svc-prefill",
    "podgroups/svc",
  ],
};

/** Messages of an operation that succeeded, except for the CLI's warning that it was killed. */
const messagesOf = (result: OperationResult) =>
  succeeded(result).diagnostics.filter(({ message }) => !message.includes("pending operations"));

/**
 * Runs an up after a killed one. If the killed up created an object and did not record it, the provider creates it again
 * with another field manager, and finds a conflict where the API server has set defaults. docs/debugging.md contains the
 * variable that lets the provider take over the fields.
 */
async function upAfterKilled(edition: ServiceStackOptions["edition"]): Promise<OperationResult> {
  const result = await stack(edition).up();
  if (!result.diagnostics.some(({ message }) => message.includes("field conflict"))) return result;
  vi.stubEnv("PULUMI_K8S_ENABLE_PATCH_FORCE", "true");
  try {
    return await stack(edition).up();
  } finally {
    vi.unstubAllEnvs();
  }
}

async function expectFinished(edition: ServiceStackOptions["edition"]): Promise<void> {
  expectNoSecretInClear();
  expect(messagesOf(await upAfterKilled(edition))).toEqual([]);
  expect(await objectsOf(cluster, namespace)).toEqual(editions[edition]);
  expect(isUnchanged(await stack(edition).up())).toBe(true);
  expectNoSecretInClear();
}

function expectNoSecretInClear(): void {
  for (const file of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const text = readFileSync(join(file.parentPath, file.name), "utf8");
    expect(text, file.name).not.toContain(token);
    expect(text, file.name).not.toContain(Buffer.from(token).toString("base64"));
  }
}

/** @param step 1 kills after every write, 7 after the first and every seventh from there */
export function isFinishedByTheNext(step: number): void {
  describe("an up killed right after one of its writes is finished by the next", () => {
    it("when it creates a service", async () => {
      let write = 1;
      for (let killed = true; killed; write += step) {
        killed = await upKilledAfter(write, "first");
        await expectFinished("first");
        expect(messagesOf(await stack("first").destroy())).toEqual([]);
        expect(await objectsOf(cluster, namespace)).toEqual([]);
      }
      expect(write).toBeGreaterThan(editions.first.length);
    }, 300_000);

    it("when it edits a service", async () => {
      let write = 1;
      for (let killed = true; killed; write += step) {
        expect(messagesOf(await stack("first").up())).toEqual([]);
        killed = await upKilledAfter(write, "second");
        await expectFinished("second");
      }
      expect(write).toBeGreaterThan(10);
    }, 300_000);
  });
}
