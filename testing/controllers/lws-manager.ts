import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { selfSignedCertificate } from "../../runtime/manager/tls/self-signed.ts";
import type { ApiClient } from "../api/api-client.ts";
import { moduleSource } from "../processes/go-modules.ts";

export interface LwsPorts {
  webhooks: number;
  health: number;
}

/** Certificates are checked against a name, so the webhooks are reached by one. */
const host = "localhost";

/** Writes the manager's configuration and certificate. Returns its arguments, and the CA bundle of the certificate. */
export function configureLwsManager(folder: string, kubeconfig: string, ports: LwsPorts) {
  const certificates = join(folder, "lws-webhooks");
  mkdirSync(certificates);
  const { cert, key } = selfSignedCertificate(host, new Date());
  writeFileSync(join(certificates, "tls.crt"), cert);
  writeFileSync(join(certificates, "tls.key"), key, { mode: 0o600 });
  const config = join(folder, "lws-manager.yaml");
  // JSON is YAML. gangSchedulingManagement is not set, so LeaderWorkerSet's own gang provider stays off.
  writeFileSync(
    config,
    JSON.stringify({
      apiVersion: "config.lws.x-k8s.io/v1alpha1",
      kind: "Configuration",
      leaderElection: { leaderElect: false },
      internalCertManagement: { enable: false },
      webhook: { host: "127.0.0.1", port: ports.webhooks, certDir: certificates },
      metrics: { bindAddress: "0" },
      health: { healthProbeBindAddress: `127.0.0.1:${ports.health}` },
    }),
  );
  return {
    args: [`--config=${config}`, `--kubeconfig=${kubeconfig}`, "--zap-log-level=error"],
    caBundle: cert.toString("base64"),
  };
}

interface WebhookConfiguration {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  webhooks: Array<{ clientConfig: { service: { path: string } } }>;
}

/**
 * Registers the webhooks of LeaderWorkerSet's manifests, with an address instead of a Service, because no Service is
 * routed here. Waits until they answer.
 */
export async function registerLwsWebhooks(
  client: ApiClient,
  port: number,
  caBundle: string,
): Promise<void> {
  const folder = join(await moduleSource("lws"), "config", "webhook");
  const read = (file: string) => readFileSync(join(folder, file), "utf8");
  const configurations = parseAllDocuments(read("manifests.yaml")).map(
    (document) => document.toJS() as WebhookConfiguration,
  );
  for (const configuration of configurations) {
    const patched = configuration.kind.startsWith("Mutating") ? "mutating" : "validating";
    for (const { path, value } of parse(read(`${patched}-patch.yaml`))) {
      configuration.webhooks[Number(/^\/webhooks\/(\d+)$/.exec(path)?.[1])] = value;
    }
    await client.request("POST", `/apis/${configuration.apiVersion}/${pluralOf(configuration)}`, {
      ...configuration,
      metadata: { name: `lws-${configuration.metadata.name}` },
      webhooks: configuration.webhooks.map((webhook) => ({
        ...webhook,
        clientConfig: {
          url: `https://${host}:${port}${webhook.clientConfig.service.path}`,
          caBundle,
        },
      })),
    });
  }
}

const pluralOf = ({ kind }: { kind: string }) => `${kind.toLowerCase()}s`;

/** Whether a created LeaderWorkerSet is returned with a field that only the webhook sets. */
export async function lwsWebhooksAnswer(client: ApiClient): Promise<boolean> {
  const path = "/apis/leaderworkerset.x-k8s.io/v1/namespaces/default/leaderworkersets?dryRun=All";
  const template = { spec: { containers: [{ name: "engine", image: "engine:1" }] } };
  const probe = await client.request<{ spec: { rolloutStrategy?: object } }>("POST", path, {
    apiVersion: "leaderworkerset.x-k8s.io/v1",
    kind: "LeaderWorkerSet",
    metadata: { name: "probe" },
    spec: { leaderWorkerTemplate: { workerTemplate: template } },
  });
  return probe.spec.rolloutStrategy !== undefined;
}
