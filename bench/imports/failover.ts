import {
  type ExportingCluster,
  startExportingCluster,
} from "../../test/traffic/exporting-cluster.ts";
import { startImportingCluster } from "../../test/traffic/importing-cluster.ts";
import { startLoad } from "../../test/traffic/steady-load.ts";

/** How a cluster is lost. */
export const losses = {
  /** Nobody is at its addresses any more. */
  killed: (cluster: ExportingCluster) => cluster.kill(),
  /** Its picker takes connections and answers nothing. */
  hangs: async (cluster: ExportingCluster) => {
    process.kill(cluster.picker.pid, "SIGSTOP");
  },
} as const;

export interface Failover {
  /** Milliseconds from the loss until the cluster gets no requests. */
  readonly noticed: number;
  /** Milliseconds of the request that waited the longest. */
  readonly slowest: number;
  /** Requests that were with the cluster when it was lost. */
  readonly failed: number;
}

/** Loses the one of two clusters that all requests go to. */
export async function failOver(
  loss: keyof typeof losses,
  mode: "EndpointMode" | "ParentMode",
): Promise<Failover> {
  const clusters = [
    await startExportingCluster({ name: "first", mode }),
    await startExportingCluster({ name: "second", mode }),
  ] as const;
  const args = ["--remote-plaintext", "--import-selection=active-passive"];
  const from = await startImportingCluster({ clusters, args });
  try {
    const load = startLoad(from.client, 8);
    await load.answered(300);
    const lostAt = Date.now();
    await losses[loss](clusters[0]);
    await from.clusters((known) => known.some(({ name, usable }) => name === "first" && !usable));
    await load.answered(100);
    const after = (await load.stop()).filter(({ ended }) => ended >= lostAt);
    return {
      noticed: from.noticedLossOf("first") - lostAt,
      slowest: Math.max(...after.map(({ began, ended }) => ended - began)),
      failed: after.filter(({ error }) => error !== undefined).length,
    };
  } finally {
    if (loss === "hangs") process.kill(clusters[0].picker.pid, "SIGCONT");
    await from.stop();
    for (const cluster of clusters) await cluster.stop();
  }
}
