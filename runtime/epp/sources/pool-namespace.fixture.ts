import { mergePatchType } from "../../../kubernetes/api/patch-types.ts";
import type { ApiClient } from "../../../testing/api/api-client.ts";

/** Group-versions of objectives and rewrites that clusters serve. */
export const newest = "llm-d.ai/v1alpha2";
export const older = "inference.networking.x-k8s.io/v1alpha2";
export const oldest = "inference.networking.x-k8s.io/v1alpha1";

/** Operations of a test in a namespace with a pool named `pool`. */
export class PoolNamespace {
  readonly #cluster: Pick<ApiClient, "request">;
  readonly name: string;
  readonly pods: string;
  readonly pools: string;
  readonly pool: string;

  constructor(cluster: Pick<ApiClient, "request">, name: string) {
    this.#cluster = cluster;
    this.name = name;
    this.pods = `/api/v1/namespaces/${name}/pods`;
    this.pools = this.collection("inference.networking.k8s.io/v1", "inferencepools");
    this.pool = `${this.pools}/pool`;
  }

  collection(apiVersion: string, plural: string): string {
    return `/apis/${apiVersion}/namespaces/${this.name}/${plural}`;
  }

  objective(apiVersion: string, name: string): string {
    return `${this.collection(apiVersion, "inferenceobjectives")}/${name}`;
  }

  rewrite(apiVersion: string, name: string): string {
    return `${this.collection(apiVersion, "inferencemodelrewrites")}/${name}`;
  }

  patch(path: string, change: object): Promise<unknown> {
    return this.#cluster.request("PATCH", path, change, mergePatchType);
  }

  remove(path: string): Promise<unknown> {
    return this.#cluster.request("DELETE", `${path}?gracePeriodSeconds=0`);
  }

  createPool(port = 8000): Promise<unknown> {
    return this.#create(this.pool, "inference.networking.k8s.io/v1", "InferencePool", {
      spec: {
        selector: { matchLabels: { app: "m", tier: "t" } },
        targetPorts: [{ number: port }],
        endpointPickerRef: { name: "epp", port: { number: 9002 } },
      },
    });
  }

  createPod(name: string, app = "m"): Promise<unknown> {
    return this.#create(`${this.pods}/${name}`, "v1", "Pod", {
      metadata: { labels: { app, tier: "t" } },
      spec: { containers: [{ name: "c", image: "i" }], nodeName: "node" },
    });
  }

  becomeReady(pod: string, status: "True" | "False"): Promise<unknown> {
    const conditions = [{ type: "Ready", status }];
    return this.patch(`${this.pods}/${pod}/status`, { status: { podIP: "10.0.0.1", conditions } });
  }

  createObjective(apiVersion: string, name: string, priority: unknown): Promise<unknown> {
    return this.#create(this.objective(apiVersion, name), apiVersion, "InferenceObjective", {
      spec: { poolRef: { name: "pool" }, priority },
    });
  }

  createRewrite(apiVersion: string, name: string, modelRewrite: string): Promise<unknown> {
    return this.#create(this.rewrite(apiVersion, name), apiVersion, "InferenceModelRewrite", {
      spec: { poolRef: { name: "pool" }, rules: [{ targets: [{ modelRewrite }] }] },
    });
  }

  #create(
    path: string,
    apiVersion: string,
    kind: string,
    { metadata, spec }: { readonly metadata?: object; readonly spec: object },
  ): Promise<unknown> {
    const at = path.lastIndexOf("/");
    const named = { ...metadata, name: path.slice(at + 1) };
    const object = { apiVersion, kind, metadata: named, spec };
    return this.#cluster.request("POST", path.slice(0, at), object);
  }
}
