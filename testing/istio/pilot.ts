import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parse, stringify } from "yaml";
import type { ClusterAddress } from "../api/cluster.ts";
import type { CrdGroup } from "../api/upstream-crds.ts";
import { findPrograms } from "../processes/binaries.ts";
import { freePorts } from "../processes/free-ports.ts";
import { moduleSource } from "../processes/go-modules.ts";
import { startServer } from "../processes/server-process.ts";
import { startWatchdog } from "../processes/watchdog.ts";

/** Istio's control plane. */
export interface Pilot {
  /** Address of its xDS server, which has no TLS and expects a token of a ServiceAccount. */
  readonly xds: string;
  log(): string;
  stop(): Promise<void>;
}

/** Namespace of Istio, which must exist. */
export const istioNamespace = "istio-system";

/**
 * Settings of Istio. The first one is the setting that users need; the others leave out filters that only Istio's own
 * build of Envoy contains, and let a proxy without Istio's agent connect.
 */
export const pilotSettings = {
  ENABLE_GATEWAY_API_INFERENCE_EXTENSION: "true",
  PILOT_ENABLE_METADATA_EXCHANGE: "false",
  PILOT_ENABLE_ALPN_FILTER: "false",
  XDS_AUTH_PLAINTEXT: "true",
} as const;

/**
 * Without a provider of metrics, Istio adds no filter of its own for them. Certificates for mTLS between pods come from
 * Istio's agent, which does not run here.
 */
export const meshConfig = {
  ...{ trustDomain: "cluster.local", enablePrometheusMerge: false },
  ...{ defaultProviders: {}, enableAutoMtls: false },
};

/** API groups of Istio's kinds. */
export const istioCrdGroups = [
  "extensions.istio.io",
  "networking.istio.io",
  "security.istio.io",
  "telemetry.istio.io",
] as const satisfies readonly CrdGroup[];

const startsWithinMs = 120_000;

/** Starts Istio's control plane on a cluster that has the CRDs of `istioCrdGroups`. It goes with this process. */
export async function startPilot({ kubeconfig }: ClusterAddress): Promise<Pilot> {
  const programs = await findPrograms(["pilot-discovery"]);
  const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-istio-"));
  await writeInjection(join(folder, "var", "lib", "istio", "inject"));
  writeFileSync(join(folder, "mesh.yaml"), stringify(meshConfig));
  const ports = (await freePorts(5)) as [number, number, number, number, number];
  const [http, https, grpc, secureGrpc, monitoring] = ports;
  const settings = { ...pilotSettings, POD_NAME: "istiod", POD_NAMESPACE: istioNamespace };
  const watchdog = startWatchdog(folder);
  const server = startServer(
    "pilot-discovery",
    "env",
    [
      ...[
        `--chdir=${folder}`,
        ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
      ],
      ...[programs["pilot-discovery"], "discovery", `--kubeconfig=${kubeconfig}`],
      ...[
        "--meshConfig=mesh.yaml",
        `--httpAddr=127.0.0.1:${http}`,
        `--httpsAddr=127.0.0.1:${https}`,
      ],
      ...[`--grpcAddr=127.0.0.1:${grpc}`, `--secureGRPCAddr=127.0.0.1:${secureGrpc}`],
      ...[`--monitoringAddr=127.0.0.1:${monitoring}`, "--keepaliveMaxServerConnectionAge=24h"],
    ],
    watchdog,
  );
  const stop = async () => {
    await server.stop();
    await watchdog.release();
  };
  const deadline = Date.now() + startsWithinMs;
  for (;;) {
    const ready = await fetch(`http://127.0.0.1:${http}/ready`).catch(() => undefined);
    if (ready?.ok) return { xds: `127.0.0.1:${grpc}`, log: server.log, stop };
    const end = server.ended();
    if (end !== undefined || Date.now() > deadline) {
      await stop();
      throw new Error(`pilot-discovery ${end ?? "was not ready in time"}:\n${server.log()}`);
    }
    await sleep(100);
  }
}

/** Writes the files from which Istio makes the Deployment of a Gateway, as its chart does with default values. */
async function writeInjection(folder: string): Promise<void> {
  const chart = join(await moduleSource("istio"), "manifests/charts/istio-control/istio-discovery");
  const read = (file: string) => readFileSync(join(chart, file), "utf8");
  const { _internal_defaults_do_not_set: values } = parse(read("values.yaml")) as {
    _internal_defaults_do_not_set: Record<string, object>;
  };
  mkdirSync(folder, { recursive: true });
  const templates = { "kube-gateway": read("files/kube-gateway.yaml") };
  const config = { policy: "enabled", defaultTemplates: [], templates };
  writeFileSync(join(folder, "config"), stringify(config));
  writeFileSync(join(folder, "values"), JSON.stringify(values));
}
