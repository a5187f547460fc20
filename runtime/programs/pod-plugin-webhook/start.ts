import { readFile } from "node:fs/promises";
import { hostname as machine } from "node:os";
import { newKubernetesClient } from "../../../kubernetes/api/client.ts";
import { loadKubeConfig } from "../../../kubernetes/api/kubeconfig.ts";
import { LeaderElection } from "../../../kubernetes/control/leader-election.ts";
import { podPluginRegistry } from "../../../sdk/plugins/registry.ts";
import { podPluginWebhookName } from "../../../sdk/topology/names.ts";
import { version } from "../../../sdk/version.ts";
import { controllerHealth } from "../../manager/health/controller-health.ts";
import { serveHealth } from "../../manager/health/health-server.ts";
import type { Log } from "../../manager/log.ts";
import { pageServer, reviewsBy } from "../../manager/pages/serve-pages.ts";
import { type AdmissionOptions, type AdmissionRequest, admit, type Verdict } from "./admission.ts";
import { CertificateKeeper } from "./certificate-keeper.ts";
import { PodPluginController } from "./controller.ts";
import type { WebhookFlags } from "./flags.ts";
import { loadPluginModules } from "./plugin-modules.ts";
import type { HookFailure } from "./pod-chain.ts";
import type { PodIdentity } from "./pod-identity.ts";
import { admissionServer } from "./server.ts";
import { ServingCertificate } from "./serving-certificate.ts";
import { WebhookMetrics } from "./webhook-metrics.ts";
import { WorkloadEvents } from "./workload-events.ts";

export interface RunningWebhook {
  readonly ports: { readonly webhook: number; readonly health: number; readonly metrics: number };
  /** Answers the reviews under way, lets another replica lead, and ends. */
  stop(): Promise<void>;
}

/** Puts the webhook and the controller for pod plugins together and starts them. */
export async function startPodPluginWebhook(
  flags: WebhookFlags,
  log: Log,
): Promise<RunningWebhook> {
  const { namespaces, namespace, hostname, lifetime } = flags;
  const registry = podPluginRegistry(await loadPluginModules(flags.modules));
  const { clientCaFile } = flags;
  const clientCa = clientCaFile === undefined ? undefined : await readFile(clientCaFile);
  const client = newKubernetesClient(
    loadKubeConfig(flags.kubeconfig === undefined ? {} : { file: flags.kubeconfig }),
  );
  const gate = { urls: flags.webhookUrls };
  const events = new WorkloadEvents(client);
  const controller = new PodPluginController({
    ...{ client, namespaces, registry, gate, events, log },
  });
  const metrics = new WebhookMetrics();
  const certificate = new ServingCertificate({
    client,
    namespace,
    hostname,
    lifetime,
    now: Date.now,
  });
  const keeper = new CertificateKeeper({
    certificate,
    interval: flags.certificateInterval,
    onChange: (next) => server?.use(next),
    onError: (error) => log.error("certificate not kept", error),
  });
  const election = new LeaderElection({
    client,
    namespace,
    name: podPluginWebhookName,
    identity: `${process.env.POD_NAME ?? machine()}_${process.pid}`,
    onChange: (leading) => {
      log.info(leading ? "leading" : "not leading");
      keeper.lead(leading);
      void controller.lead(leading);
    },
    onProblem: (message) => log.error(`leader election: ${message}`),
  });

  let ending = false;
  let server: ReturnType<typeof admissionServer> | undefined;
  const isReady = () => server !== undefined && controller.settled && !ending;
  const health = await serveHealth({
    port: flags.healthPort,
    rules: controllerHealth,
    isReady,
    log,
  });
  const operators = pageServer({
    pages: { families: metrics.families, debug: {} },
    reviews: flags.metricsAuth ? reviewsBy(client) : undefined,
    log,
  });
  const metricsPort = await operators.listen(flags.metricsPort);

  controller.start();
  election.start();
  const options: AdmissionOptions = {
    ...{ registry, gate, podCreators: flags.podCreators },
    pluginsOf: (place, name) => controller.pluginsOf(place, name),
    onFailure: (place, identity, failure) => {
      metrics.failed(failure.refuses);
      tellFailure(controller, events, log, place, identity, failure);
    },
  };
  // Pods wait, or are made without their plugins, until there is a certificate to serve with.
  server = admissionServer({
    certificate: await keeper.first(),
    clientCa,
    judge: measured(options, metrics),
    onError: (error) => log.error("review not answered", error),
  });
  const ports = {
    webhook: await server.listen(flags.port),
    health: health.port,
    metrics: metricsPort,
  };
  log.info("serving", { version, ports, namespaces: namespaces ?? "all" });
  return {
    ports,
    async stop() {
      ending = true;
      await server?.close();
      keeper.stop();
      await controller.stop();
      await election.release();
      await Promise.all([health.stop(), operators.close()]);
      client.close();
      log.info("stopped");
    },
  };
}

const measured =
  (options: AdmissionOptions, metrics: WebhookMetrics) =>
  async (request: AdmissionRequest): Promise<Verdict> => {
    const begun = performance.now();
    const verdict = await admit(options, request);
    metrics.reviewed(verdict.allowed, (performance.now() - begun) / 1000);
    return verdict;
  };

function tellFailure(
  controller: PodPluginController,
  events: WorkloadEvents,
  log: Log,
  namespace: string,
  { leaderWorkerSet: name, roleID }: PodIdentity,
  { plugin, message, refuses }: HookFailure,
): void {
  log.warn("plugin failed", { namespace, workload: name, role: roleID, plugin, message });
  const uid = controller.workloadUid(namespace, name);
  if (uid === undefined) return;
  const said = `pod plugin ${plugin}, OnPodCreate: ${message}`;
  const outcome = refuses ? "the pod is not made" : "the pod is made without it";
  events
    .write(
      { namespace, name, uid },
      {
        reason: "PluginFailed",
        type: "Warning",
        action: "OnPodCreate",
        message: `${said}; ${outcome}`,
        identity: said,
      },
    )
    .catch((error: unknown) => log.error("event not written", error));
}
