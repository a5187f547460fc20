import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CoreV1Api, V1ConfigMap, V1Deployment } from "@kubernetes/client-node";
import OpenAI from "openai";
import { stringify } from "yaml";
import type { Manifest } from "../sdk/index.ts";
import { type HttpRoute, type InferencePool, startEnvoy } from "../testing/envoy/start.ts";
import { type ModelServer, startModelServer } from "../testing/model-server/model-server.ts";
import { untilItSeesPods } from "../testing/pods/deployed-picker.ts";
import { argumentsWithFiles } from "../testing/pods/mounted-files.ts";
import { startPicker } from "../testing/pods/picker-process.ts";
import { type Stoppable, stopAll } from "../testing/processes/stop-all.ts";
import { claimPodNetwork } from "../testing/stand-ins/pod-addresses.ts";

/** A gateway for planned objects, without a cluster. */
export interface PlannedGateway {
  readonly client: OpenAI;
  /** The simulated engines: one for each replica. */
  readonly servers: readonly ModelServer[];
  stop(): Promise<void>;
}

type Pool = InferencePool & {
  readonly spec: {
    readonly selector: { readonly matchLabels: Record<string, string> };
    readonly targetPorts: ReadonlyArray<{ readonly number: number }>;
  };
};

/**
 * Starts Envoy with the planned HTTPRoute, the endpoint picker with the arguments of its planned Deployment, and a
 * simulated engine for the leader of each LeaderWorkerSet. The picker reads the pool and its pods from a file.
 */
export async function startPlannedGateway(
  objects: readonly Manifest[],
  folder: string,
): Promise<PlannedGateway> {
  const running: Stoppable[] = [];
  const keep = <Program extends Stoppable>(program: Program): Program => {
    running.push(program);
    return program;
  };
  const stop = () => stopAll(running);
  try {
    const pool = only<Pool>(objects, "InferencePool");
    const network = await claimPodNetwork();
    running.push({ stop: () => network.release() });
    const ips = new Set<string>();
    const servers: ModelServer[] = [];
    for (const { metadata } of objects.filter(({ kind }) => kind === "LeaderWorkerSet")) {
      const ip = network.next(ips);
      ips.add(ip);
      const port = pool.spec.targetPorts[0]?.number ?? 0;
      const name = `${metadata.name}-0`;
      servers.push(keep(await startModelServer({ ip, port, name, anyModel: true, stepMs: 2 })));
    }
    const file = join(folder, "objects.yaml");
    const documents = [pool, ...servers.map((server) => podOf(pool, server))];
    writeFileSync(file, documents.map((each) => stringify(each)).join("---\n"));
    const picker = keep(
      await startPicker({
        args: [
          ...(await pickerArguments(objects, folder)),
          ...["--file-source", file, "--metrics-endpoint-auth=false", "--drain-timeout=0s"],
        ],
      }),
    );
    const [envoy] = await Promise.all([
      startEnvoy({
        httpRoutes: [only<HttpRoute>(objects, "HTTPRoute")],
        pools: [{ pool, picker: `127.0.0.1:${picker.ports.grpc}` }],
      }).then(keep),
      untilItSeesPods(picker),
    ]);
    const client = new OpenAI({ baseURL: `${envoy.url}/v1`, apiKey: "-", maxRetries: 0 });
    return { client, servers, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function only<Kind>(objects: readonly Manifest[], kind: string): Kind {
  const found = objects.find((each) => each.kind === kind);
  if (found === undefined) throw new Error(`the program plans no ${kind}`);
  return found as unknown as Kind;
}

const podOf = ({ metadata, spec }: Pool, { name, ip }: ModelServer) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: metadata.namespace, labels: spec.selector.matchLabels },
  status: { podIP: ip, conditions: [{ type: "Ready", status: "True" }] },
});

/** The arguments of the picker's Deployment, with the files of its ConfigMap. */
async function pickerArguments(objects: readonly Manifest[], folder: string): Promise<string[]> {
  const podSpec = only<V1Deployment>(objects, "Deployment").spec?.template.spec;
  if (podSpec === undefined) throw new Error("the picker's Deployment has no pod template");
  const planned: Pick<CoreV1Api, "readNamespacedConfigMap"> = {
    readNamespacedConfigMap: async () => only<V1ConfigMap>(objects, "ConfigMap"),
  };
  return argumentsWithFiles(planned, "default", folder, podSpec);
}
