import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { connect } from "./api/api-client.ts";
import { startCluster } from "./api/api-server.ts";
import type { Cluster, ClusterAddress } from "./api/cluster.ts";
import { installCrds } from "./api/install-crds.ts";
import { findBinaries } from "./processes/binaries.ts";
import { startGarbageCollector } from "./stand-ins/garbage-collector.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Socket that answers a ClusterReply. */
    clusterSocket: string;
  }
}

/** The shared cluster's address for a test process, or the error of its start. */
export type ClusterReply = { address: ClusterAddress } | { error: string };

/**
 * One cluster for a whole test run, started when the first test requests it, so that a run of pure tests starts none.
 * Executables are built here, outside any test's time limit. If that fails, the tests that need a cluster fail with the
 * reason and the others run.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const unavailable = await findBinaries().then(
    () => undefined,
    (error: Error) => error.message,
  );
  let started: Promise<Cluster> | undefined;
  const reply = async (): Promise<ClusterReply> => {
    if (unavailable !== undefined) return { error: unavailable };
    try {
      started ??= startSharedCluster();
      const { url, ca, token, kubeconfig, auditLog } = await started;
      return { address: { url, ca, token, kubeconfig, ...(auditLog && { auditLog }) } };
    } catch (error) {
      return { error: (error as Error).message };
    }
  };

  const folder = mkdtempSync(join(tmpdir(), "pulumi-inference-tests-"));
  // Folders of `stateFolder()`: a worker of vitest ends without the event of its process's end.
  process.env.TEST_STACKS = folder;
  const socket = join(folder, "cluster.sock");
  const server = createServer(async (connection) => {
    connection.end(JSON.stringify(await reply()));
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  project.provide("clusterSocket", socket);

  return async () => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
    await started?.then(
      (cluster) => cluster.stop(),
      () => {},
    );
  };
}

/** With the published CRDs and a garbage collector, without which a foreground deletion never ends. */
async function startSharedCluster(): Promise<Cluster> {
  const cluster = await startCluster({ recordWrites: true });
  await installCrds(cluster);
  const client = connect(cluster);
  const collector = await startGarbageCollector(client, {
    onError: (error) => console.error("garbage collector of the shared test cluster:", error),
  });
  return {
    ...cluster,
    async stop() {
      await collector.stop();
      client.close();
      await cluster.stop();
    },
  };
}
