import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freshNamespace } from "../../../testing/api/cluster.ts";
import { listens, pickerPorts } from "../../epp/contenders.ts";
import { scratch, startAndWait } from "../../epp/processes.ts";
import { createPods, type LivePool, type LivePoolOptions, label } from "./live-pool.ts";

export interface GoPoolOptions extends LivePoolOptions {
  /** The Go picker's executable. */
  readonly binary: string;
}

/** Pods of a pool on an API server, with llm-d's picker that follows them there; without a configuration, its default. */
export async function startGoPool(options: GoPoolOptions): Promise<LivePool> {
  const { cluster, pods, ready, config, binary } = options;
  const namespace = await freshNamespace(cluster);
  const { setReady } = await createPods(options, namespace);
  const ports = await pickerPorts();
  const file = join(mkdtempSync(join(scratch, "go-")), "config.yaml");
  if (config !== undefined) writeFileSync(file, config);
  const server = await startAndWait(
    "Go picker",
    [
      ...["/usr/bin/env", "--unset=GOGC", "--unset=GOMEMLIMIT", `KUBECONFIG=${cluster.kubeconfig}`],
      ...[`NAMESPACE=${namespace}`, "POD_NAME=epp-go-0-0", binary],
      ...[`--pool-namespace=${namespace}`, `--endpoint-selector=${label}`],
      `--endpoint-target-ports=${pods[0]?.endpoint.port}`,
      ...[`--grpc-port=${ports.grpc}`, `--grpc-health-port=${ports.health}`],
      ...[`--metrics-port=${ports.metrics}`, "--metrics-endpoint-auth=false", "--tracing=false"],
      ...["--refresh-prometheus-metrics-interval=100ms", "--zap-log-level=error"],
      ...(config === undefined ? [] : [`--config-file=${file}`]),
    ],
    async () =>
      (await readyEndpoints(ports.metrics)) === ready.length && (await listens(ports.grpc)),
  );
  // Its first pages of the model servers.
  await sleep(300);
  return { address: `127.0.0.1:${ports.grpc}`, setReady, stop: () => server.stop(500) };
}

async function readyEndpoints(port: number): Promise<number | undefined> {
  try {
    const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const line = /^(?:llm_d_epp_ready_endpoints|inference_pool_ready_pods)\{.*\} (\d+)$/m;
    return Number(line.exec(page)?.[1]);
  } catch {
    return undefined;
  }
}
