import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { selfSignedCertificate } from "../../runtime/manager/tls/self-signed.ts";
import { startImportingCluster } from "../../test/traffic/importing-cluster.ts";
import { poolRoute } from "../../test/traffic/stack.ts";
import { startEnvoy } from "../../testing/envoy/start.ts";
import { startPicker } from "../../testing/picker-process.ts";
import { objectsOf } from "../epp/contenders.ts";
import { scratch } from "../epp/processes.ts";

/** A gateway, and the picker that it asks. */
export interface Way {
  readonly port: number;
  /** Process of the picker. */
  readonly pid: number;
  stop(): Promise<void>;
}

/** Ways of a request to the pods of one pool. */
export const ways = {
  /** The gateway asks the pool's picker. */
  direct: (pods) => pool(pods, false),
  /** The gateway asks a picker for the import, which asks the pool's. */
  endpoint: async (pods) => imported(await pool(pods, false), "EndpointMode"),
  /** The same in TLS between the pickers. */
  tls: async (pods) => imported(await pool(pods, true), "EndpointMode"),
  /** The gateway asks a picker for the import, which names the pool's gateway. */
  parent: async (pods) => imported(await pool(pods, false), "ParentMode"),
} as const satisfies Record<string, (pods: readonly string[]) => Promise<Way>>;

interface Pool extends Way {
  readonly picker: number;
  readonly caFile: string | undefined;
}

async function pool(pods: readonly string[], tls: boolean): Promise<Pool> {
  const folder = mkdtempSync(join(scratch, "pool-"));
  const file = join(folder, "objects.yaml");
  const [object, ...rest] = objectsOf(pods);
  writeFileSync(file, [object, ...rest].map((each) => stringify(each)).join("---\n"));
  const { cert, key } = selfSignedCertificate("epp.default.svc", new Date());
  writeFileSync(join(folder, "tls.crt"), cert);
  writeFileSync(join(folder, "tls.key"), key);
  const security = tls ? `--cert-path=${folder}` : "--secure-serving=false";
  const picker = await startPicker({ args: [`--file-source=${file}`, security] });
  const envoy = await startEnvoy({
    httpRoutes: [poolRoute],
    pools: [
      {
        pool: object as Parameters<typeof startEnvoy>[0]["pools"][number]["pool"],
        picker: `127.0.0.1:${picker.ports.grpc}`,
        tls,
      },
    ],
  });
  return {
    port: envoy.port,
    pid: picker.pid,
    picker: picker.ports.grpc,
    caFile: tls ? join(folder, "tls.crt") : undefined,
    async stop() {
      await envoy.stop();
      await picker.stop(500);
    },
  };
}

async function imported(
  { port, picker, caFile, stop }: Pool,
  routingMode: "EndpointMode" | "ParentMode",
): Promise<Way> {
  const at = (number: number) => [
    { type: "ClusterIP", addresses: ["127.0.0.1"], ports: [{ number }] },
  ];
  const entry = {
    ...{ name: "cluster", routingMode, targetPortNumber: 8000 },
    endpointPicker: { name: "epp", service: at(picker) },
    parents: [{ name: "gateway", namespace: "default", service: at(port) }],
  };
  const security = caFile === undefined ? "--remote-plaintext" : `--remote-ca-file=${caFile}`;
  const from = await startImportingCluster({
    clusters: [{ entry }],
    args: [security, "--import-selection=health-based"],
  });
  await from.clusters(([only]) => only?.usable === true);
  return {
    port: from.envoy.port,
    pid: from.picker.pid,
    async stop() {
      await from.stop();
      await stop();
    },
  };
}
