import { afterAll, beforeAll, expect, it } from "vitest";
import { ApiError } from "../../../kubernetes/api/api-error.ts";
import { type KubernetesClient, newKubernetesClient } from "../../../kubernetes/api/client.ts";
import { loadKubeConfig } from "../../../kubernetes/api/load-kubeconfig.ts";
import { mergePatchType } from "../../../kubernetes/api/patch-types.ts";
import type { KubernetesObject } from "../../../kubernetes/values/object.ts";
import type { ImportView } from "../../../sdk/multi-cluster/view.ts";
import { type AttachedCluster, freshNamespace } from "../../../testing/api/cluster.ts";
import { installOwnCrds } from "../../../testing/api/install-crds.ts";
import { sharedCluster } from "../../../testing/clusters/shared-cluster.ts";
import { MemberWriter } from "./member-writer.ts";
import { PendingWrites } from "./pending-writes.ts";
import type { PoolObject } from "./read-pool.ts";

/** Deletions of imports, on a real API server. */

const apiVersion = "inference.networking.x-k8s.io/v1alpha1";

let cluster: AttachedCluster;
let client: KubernetesClient;
let namespace: string;

beforeAll(async () => {
  cluster = await sharedCluster();
  await installOwnCrds(cluster);
  client = newKubernetesClient(loadKubeConfig({ file: cluster.kubeconfig }));
  namespace = await freshNamespace(cluster, "writer");
}, 180_000);
afterAll(async () => {
  client?.close();
  await cluster?.detach();
});

const imports = () => `/apis/${apiVersion}/namespaces/${namespace}/inferencepoolimports`;

const created = async (name: string) =>
  (
    await cluster.request<KubernetesObject>("POST", imports(), {
      ...{ apiVersion, kind: "InferencePoolImport", metadata: { name } },
    })
  ).metadata;

const deleted = (name: string, { uid = "", resourceVersion = "" }: KubernetesObject["metadata"]) =>
  new MemberWriter({
    client,
    controllerName: "example.com/controller",
    mayWrite: () => new AbortController().signal,
  }).write(
    {
      written: {
        pools: new PendingWrites<PoolObject>(() => undefined),
        imports: new PendingWrites<ImportView>(() => undefined),
      },
    },
    namespace,
    name,
    { kind: "delete-import", uid, resourceVersion },
  );

it("an import that another controller has changed since it was planned is not deleted", async () => {
  const before = await created("changed");
  const path = `${imports()}/changed`;
  await cluster.request("PATCH", path, { metadata: { labels: { theirs: "yes" } } }, mergePatchType);
  const refusal = await deleted("changed", before).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(ApiError);
  expect(refusal).toMatchObject({ status: 409 });
  const { metadata } = await cluster.request<KubernetesObject>("GET", path);
  expect(metadata.uid).toBe(before.uid);
  await deleted("changed", metadata);
  await expect(cluster.request("GET", path)).rejects.toThrow(/404/);
});

it("a later import with the same name is not deleted", async () => {
  const before = await created("again");
  await cluster.request("DELETE", `${imports()}/again`);
  const { uid, resourceVersion } = await created("again");
  const refusal = deleted("again", { ...before, ...(resourceVersion && { resourceVersion }) });
  await expect(refusal).rejects.toMatchObject({ status: 409 });
  const { metadata } = await cluster.request<KubernetesObject>("GET", `${imports()}/again`);
  expect(metadata.uid).toBe(uid);
});
