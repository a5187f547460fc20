import {
  type InferenceServiceInput,
  type Manifest,
  planInferenceService,
  podPluginRegistry,
} from "../../sdk/index.ts";
import { startCluster } from "../../testing/api/api-server.ts";
import { type Cluster, freshNamespace } from "../../testing/api/cluster.ts";
import { installCrds } from "../../testing/api/install-crds.ts";
import type { LeaderWorkerSet, Pod } from "../../testing/stand-ins/objects.ts";
import { Endpoint } from "./endpoint.ts";
import ownPlugins from "./own-plugins.fixture.ts";
import { WebhookScene } from "./webhook-scene.ts";

export const soon = { timeout: 20_000, interval: 25 };

interface Planned {
  name: string;
  plan: Manifest[];
}

/**
 * A cluster with the webhook, and an endpoint that its plugins call. Tests in the shared cluster run webhooks too, and each of
 * them writes its certificate into the one configuration of a cluster.
 */
export class PluginStage {
  cluster!: Cluster;
  scene!: WebhookScene;
  endpoint!: Endpoint;
  namespace!: string;
  #services = 0;

  async start(): Promise<void> {
    this.cluster = await startCluster();
    await installCrds(this.cluster);
    this.namespace = await freshNamespace(this.cluster, "plugins");
    this.endpoint = await new Endpoint().start();
    this.scene = new WebhookScene(this.cluster, this.namespace, [this.endpoint.url]);
    await this.scene.install();
    await this.scene.start();
  }

  async end(): Promise<void> {
    await this.scene?.end();
    this.endpoint?.stop();
    await this.cluster?.stop();
  }

  /** A service of one role whose pods have these plugins. */
  planned(plugins: object[], nodeCount = 1, urls = [this.endpoint.url]): Planned {
    this.#services += 1;
    const name = `s${this.#services}`;
    const input = {
      metadata: { name, namespace: this.namespace },
      spec: {
        plugins,
        workload: "perRole",
        roles: [
          {
            name: "w",
            componentType: "worker",
            replicas: 2,
            port: 8000,
            multinode: { nodeCount, executor: "custom" },
            template: {
              spec: {
                containers: [
                  {
                    name: "vllm",
                    image: "v:1",
                    securityContext: { runAsNonRoot: true },
                    resources: { limits: { "nvidia.com/gpu": 1 } },
                  },
                ],
              },
            },
          },
        ],
      },
    } as unknown as InferenceServiceInput;
    const podPlugins = { registry: podPluginRegistry(ownPlugins), webhookUrls: urls };
    return { name, plan: planInferenceService(input, { podPlugins }) };
  }

  readonly made = async (
    ...args: Parameters<PluginStage["planned"]>
  ): Promise<[LeaderWorkerSet, string]> => {
    const { name, plan } = this.planned(...args);
    const [lws] = await this.scene.apply(plan);
    if (lws === undefined) throw new Error("no LeaderWorkerSet was planned");
    return [lws, name];
  };

  readonly remote = (webhook: object = {}, more: object = {}) => ({
    name: "remote",
    type: "Webhook",
    config: { level: 3 },
    webhook: { url: this.endpoint.url, caBundle: this.endpoint.caBundle, ...webhook },
    ...more,
  });

  readonly conditionsOf = async (path: string) => {
    interface Judged {
      status?: {
        conditions?: Array<Record<"type" | "status" | "reason" | "message", string>>;
      };
    }
    const { status } = await this.cluster.request<Judged>("GET", path);
    return status?.conditions?.map(({ type, status, reason, message }) => [
      ...[type, status, reason],
      message,
    ]);
  };
}

export const statusObject = (name: string) => ({
  apiVersion: "fusioninfer.io/v1alpha1",
  kind: "InferenceService",
  metadata: { name },
  spec: { roles: [{ name: "w", componentType: "worker" }] },
});

export const labelsOf = ({ metadata }: Pod) => metadata.labels ?? {};
export const refusal = (created: Promise<Pod>) =>
  created.then(
    () => "created",
    ({ message }: Error) => message,
  );
