import { setTimeout as sleep } from "node:timers/promises";
import type { V1Container, V1Pod } from "@kubernetes/client-node";
import { type AccountLocation, accountKubeconfig } from "../api/account-kubeconfig.ts";
import { type RuntimeProcess, startRuntime } from "./picker-process.ts";

export type SidecarProcess = RuntimeProcess<{
  readonly serving: readonly number[];
  readonly metrics: number;
}>;

/** The decode sidecar among a pod's containers. */
export function sidecarContainerOf({ spec }: V1Pod): V1Container | undefined {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  return containers.find(({ args }) => args?.[0] === "pd-sidecar");
}

/** The value of a container's argument `--name=value`. */
export const argumentOf = ({ args = [] }: V1Container, name: string): string | undefined =>
  args.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3);

/**
 * The decode sidecar of a pod as its container starts it: its arguments, its ServiceAccount's permissions. Waits until it
 * knows a prefiller.
 */
export async function startDeployedSidecar(
  place: AccountLocation,
  pod: V1Pod,
  { args: [program = "", ...args] = [] }: V1Container,
): Promise<SidecarProcess> {
  const ip = pod.status?.podIP ?? "";
  const sidecar = await startRuntime<SidecarProcess["ports"]>(program, {
    args: [
      ...args,
      // All pods are on this machine: each has its address, and no network of its own.
      ...[`--bind-address=${ip}`, `--model-server-host=${ip}`],
      ...["--metrics-port=0", "--health-port=0"],
    ],
    env: {
      KUBECONFIG: await accountKubeconfig(place, pod.spec?.serviceAccountName ?? "default"),
      NAMESPACE: place.namespace,
      POD_IP: ip,
    },
  });
  await untilItKnowsPrefillers(sidecar);
  return sidecar;
}

/** Returns a metric of a sidecar by its name and labels as they are on the page; 0 if the page does not contain it. */
export async function sidecarMetric({ ports }: SidecarProcess, series: string): Promise<number> {
  const page = await (await fetch(`http://127.0.0.1:${ports.metrics}/metrics`)).text();
  const line = page.split("\n").find((line) => line.startsWith(`${series} `));
  return Number(line?.split(" ").at(-1) ?? 0);
}

async function untilItKnowsPrefillers(sidecar: SidecarProcess): Promise<void> {
  const deadline = Date.now() + 20_000;
  while ((await sidecarMetric(sidecar, "pd_sidecar_allowed_prefillers")) === 0) {
    if (Date.now() > deadline) throw new Error(`a sidecar knows no prefillers\n${sidecar.log()}`);
    await sleep(50);
  }
}
