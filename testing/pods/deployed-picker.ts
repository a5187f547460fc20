import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AppsV1Api, CoreV1Api } from "@kubernetes/client-node";
import { type AccountLocation, accountKubeconfig } from "../api/account-kubeconfig.ts";
import { argumentsWithFiles } from "./mounted-files.ts";
import { type PickerProcess, startPicker } from "./picker-process.ts";

export interface DeployedPickerOptions {
  readonly place: AccountLocation;
  readonly core: CoreV1Api;
  readonly apps: AppsV1Api;
  /** Name of the Deployment. */
  readonly name: string;
  /** Flags in addition to the flags of the Deployment. Default: none. */
  readonly more?: readonly string[];
}

/** A picker started as in its Deployment: its arguments, its files, its ServiceAccount's permissions. */
export async function startDeployedPicker({
  place,
  core,
  apps,
  name,
  more = [],
}: DeployedPickerOptions): Promise<PickerProcess> {
  const { namespace, folder } = place;
  const deployment = await apps.readNamespacedDeployment({ namespace, name });
  const podSpec = deployment.spec?.template.spec;
  if (podSpec === undefined) throw new Error(`Deployment ${name} has no pod template`);
  const args = await argumentsWithFiles(core, namespace, join(folder, name), podSpec);
  const account = podSpec.serviceAccountName ?? "default";
  return await startPicker({
    args: [
      ...args,
      ...more,
      // Tests look at its pages; who else may is tested on its own.
      "--metrics-endpoint-auth=false",
      "--drain-timeout=0s",
      // All clusters are on this machine.
      ...(args.some((arg) => arg.startsWith("--import=")) ? ["--remote-allow-loopback"] : []),
    ],
    env: { KUBECONFIG: await accountKubeconfig(place, account), NAMESPACE: namespace },
  });
}

/** The picker has read the pool and its pods. */
export async function untilItSeesPods(picker: PickerProcess): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const page = await fetch(`http://127.0.0.1:${picker.ports.metrics}/debug/state`);
    const { endpoints } = (await page.json()) as { endpoints?: unknown[] };
    if ((endpoints ?? []).length > 0) return;
    if (Date.now() > deadline) throw new Error(`a picker sees no pods\n${picker.log()}`);
    await sleep(50);
  }
}
