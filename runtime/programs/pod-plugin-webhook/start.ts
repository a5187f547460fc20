import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { newKubernetesClient } from "../../../kubernetes/api/client.ts";
import { loadKubeConfig } from "../../../kubernetes/api/load-kubeconfig.ts";
import { podPluginWebhookName } from "../../../sdk/names.ts";
import { pluginsOfModule } from "../../../sdk/plugins/plugins-of-module.ts";
import type { PodPlugin } from "../../../sdk/plugins/pod-plugin.ts";
import { podPluginRegistry } from "../../../sdk/plugins/registry.ts";
import { BodyBudget } from "../../epp/request-path/body-budget.ts";
import { limits } from "../../limits.ts";
import type { Log } from "../../manager/log.ts";
import { Manager, type Running } from "../../manager/manager.ts";
import { type AdmissionOptions, type AdmissionRequest, admit, type Verdict } from "./admission.ts";
import { CertificateRenewal } from "./certificate-renewal.ts";
import { PodPluginController } from "./controller.ts";
import { workloadReader } from "./plugin-owner.ts";
import type { HookFailure } from "./pod-chain.ts";
import type { PodIdentity } from "./pod-identity.ts";
import type { WebhookOptions } from "./program.ts";
import { admissionServer } from "./server.ts";
import { ServingCertificate } from "./serving-certificate.ts";
import { WebhookMetrics } from "./webhook-metrics.ts";
import { WorkloadEvents } from "./workload-events.ts";

/** Starts the webhook and the controller for pod plugins. */
export async function startPodPluginWebhook(
  options: WebhookOptions,
  log: Log,
): Promise<Running<{ readonly webhook: number }>> {
  const { namespaces, namespace, hostname, operations, kubeconfig: file, clientCaFile } = options;
  const registry = podPluginRegistry(await loadPluginModules(options.modules));
  const clientCa = clientCaFile === undefined ? undefined : await readFile(clientCaFile);
  const client = newKubernetesClient(loadKubeConfig({ file }));
  const gate = { urls: options.webhookUrls };
  const runner = { registry, gate, workloadOf: workloadReader(client, Date.now) };
  const events = new WorkloadEvents(client);
  const metrics = new WebhookMetrics();
  const controller = new PodPluginController({
    ...{ ...runner, client, namespaces, events, metrics, log },
  });
  const lifetimeMs = options.lifetimeMs;
  let server: ReturnType<typeof admissionServer> | undefined;
  const keeper = new CertificateRenewal({
    certificate: new ServingCertificate({ client, namespace, hostname, lifetimeMs, now: Date.now }),
    intervalMs: options.certificateCheckIntervalMs,
    onChange: (next) => server?.use(next),
    onError: (error) => log.error("certificate not kept", error),
  });
  const admission: AdmissionOptions = {
    ...{ ...runner, podCreators: options.podCreators },
    pluginsOf: (location, name) => controller.pluginsOf(location, name),
    onFailure: (location, identity, failure) => {
      metrics.failed(failure.refuses ? "rejected" : "ignored");
      reportFailure(controller, log, location, identity, failure);
    },
  };
  const lease = { namespace, name: podPluginWebhookName };
  return new Manager({ log, operations, client, lease }).run({
    pages: { families: metrics.families, debug: {} },
    facts: { namespaces: namespaces ?? "all" },
    isReady: () => server !== undefined && controller.settled,
    lead(leading) {
      keeper.lead(leading);
      void controller.lead(leading);
    },
    async start() {
      controller.start();
      // Until there is a certificate, pods wait or are created without their plugins.
      const certificate = await keeper.first();
      server = admissionServer({
        ...{ certificate, clientCa },
        judge: measured(admission, metrics),
        budget: new BodyBudget({
          maxBody: limits.reviewBody.value,
          now: () => performance.now(),
        }),
        onError: (error) => log.error("no response to a review", error),
      });
      return { webhook: await server.listen(options.port) };
    },
    async stop() {
      await server?.close();
      keeper.stop();
      await controller.stop();
    },
  });
}

const measured =
  (options: AdmissionOptions, metrics: WebhookMetrics) =>
  async (request: AdmissionRequest): Promise<Verdict> => {
    const begun = performance.now();
    const verdict = await admit(options, request);
    metrics.reviewed(verdict.allowed, (performance.now() - begun) / 1000);
    return verdict;
  };

function reportFailure(
  controller: PodPluginController,
  log: Log,
  namespace: string,
  { leaderWorkerSet: name, roleID }: PodIdentity,
  { plugin, message, refuses }: HookFailure,
): void {
  log.warn("plugin failed", { namespace, workload: name, role: roleID, plugin, message });
  const said = `pod plugin ${plugin}, OnPodCreate: ${message}`;
  const outcome = refuses ? "the pod is not created" : "the pod is created without it";
  controller
    .report(namespace, name, {
      reason: refuses ? "PluginFailed" : "PluginIgnored",
      action: "OnPodCreate",
      message: `${said}; ${outcome}`,
      identity: said,
    })
    .catch((error: unknown) => log.error("event not written", error));
}

/**
 * Loads the plugins of JavaScript modules.
 *
 * @throws Error if a module cannot be loaded or does not export plugins
 */
async function loadPluginModules(files: readonly string[]): Promise<PodPlugin[]> {
  const modules = await Promise.all(
    files.map(async (file) =>
      pluginsOfModule(file, await import(pathToFileURL(resolve(file)).href)),
    ),
  );
  return modules.flat();
}
