import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type PickerProcess, startRuntime } from "../../testing/picker-process.ts";
import type { Member } from "./members.ts";

/** A controller of the set in a process of its own, and what its metrics say. */
export interface MeasuredController {
  readonly process: PickerProcess;
  read(): Promise<Reading>;
  /** Resolves when what it says fulfils a condition. */
  until(holds: (reading: Reading) => boolean, milliseconds: number): Promise<Reading>;
}

export interface Reading {
  readonly writes: number;
  /** The same by what they do and what became of them: `apply-import done`. */
  readonly writesByKind: Readonly<Record<string, number>>;
  readonly waiting: number;
  readonly cpu: number;
  readonly memory: number;
  readonly leading: boolean;
  /** Members that are followed. */
  readonly current: number;
  /** How late the event loop ran since the last reading, p99, in milliseconds. */
  readonly lag: number;
}

/** @param pools that a member has at most, all of which it may export */
export async function startController(
  members: readonly Member[],
  pools: number,
  folder: string,
  ...flags: string[]
): Promise<MeasuredController> {
  const file = join(folder, "members.yaml");
  writeFileSync(
    file,
    JSON.stringify({
      members: members.map(({ name, cluster }) => ({
        name,
        kubeconfig: cluster.kubeconfig,
        maxExports: pools,
      })),
    }),
  );
  const process = await startRuntime("multi-cluster-controller", {
    args: [
      `--members-file=${file}`,
      "--import-into-exporters",
      `--member-max-pools=${pools}`,
      "--import-grace-period=0s",
      "--metrics-port=0",
      "--metrics-endpoint-auth=false",
      "--health-port=0",
      ...flags,
    ],
  });
  const read = async (): Promise<Reading> => {
    const page = await (await fetch(`http://127.0.0.1:${process.ports.metrics}/metrics`)).text();
    const sum = (pattern: RegExp) =>
      [...page.matchAll(pattern)].reduce((total, [, value]) => total + Number(value), 0);
    const writesByKind: Record<string, number> = {};
    const written = /^multi_cluster_writes_total\{.*write="(.*?)",result="(.*?)".*\} (\S+)$/gm;
    for (const [, kind, result, value] of page.matchAll(written)) {
      const key = `${kind} ${result}`;
      writesByKind[key] = (writesByKind[key] ?? 0) + Number(value);
    }
    return {
      writes: Object.values(writesByKind).reduce((total, count) => total + count, 0),
      writesByKind,
      waiting: sum(/^multi_cluster_(?:plan_)?queue_length(?:\{.*\})? (\S+)$/gm),
      cpu: sum(/^process_cpu_seconds_total (\S+)$/gm),
      memory: sum(/^process_resident_memory_bytes (\S+)$/gm),
      leading: sum(/^multi_cluster_leader (\S+)$/gm) === 1,
      current: sum(/^multi_cluster_members\{.*state="current"\} (\S+)$/gm),
      lag: sum(/^nodejs_eventloop_lag_seconds\{quantile="0.99"\} (\S+)$/gm) * 1000,
    };
  };
  const until: MeasuredController["until"] = async (holds, milliseconds) => {
    const ends = performance.now() + milliseconds;
    for (;;) {
      const reading = await read();
      if (holds(reading)) return reading;
      if (performance.now() > ends)
        throw new Error(`not in ${milliseconds} ms: ${JSON.stringify(reading)}\n${process.log()}`);
      await sleep(100);
    }
  };
  return { process, read, until };
}
