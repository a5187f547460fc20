import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Picker, PickerSettings, StartPicker } from "../../bench/epp/contenders.ts";
import { inRepository, scratch } from "../../bench/epp/processes.ts";

/** Milliseconds between two readings of the process's memory. */
const lookInterval = 20;

/** The kubelet's and the kernel's part for a picker: a memory limit, and a new container when one ends. */
export interface PickerPod {
  /** Ends the start phase: the event loop is measured from here on. */
  isServing(): void;
  /** How the first container ended; undefined while it runs. */
  ended(): string | undefined;
  restarts(): number;
  /** Largest memory of a container, MiB. */
  rssMiB(): number;
  /** The longest time that the event loop worked without a pause, in milliseconds of CPU; undefined if not measured. */
  stretchMs(): number | undefined;
  log(): string;
  stop(): Promise<void>;
}

interface PodSettings extends PickerSettings {
  readonly ports: Picker["ports"];
  /** Memory of the pod: beyond it the kernel ends the container. */
  readonly memoryMiB: number;
}

export async function startPickerPod(
  start: StartPicker,
  pods: readonly string[],
  settings: PodSettings,
): Promise<PickerPod> {
  const folder = mkdtempSync(join(scratch, "stretch-"));
  const stretchFile = join(folder, "milliseconds");
  const startContainer = () => start(pods, { ...settings, node: nodeFlags(settings, stretchFile) });
  let container = await startContainer();
  let starting: Promise<void> | undefined;
  let end: string | undefined;
  let restarts = 0;
  let peak = 0;
  let log = "";
  const look = () => {
    if (starting !== undefined) return;
    const { now, most } = memoryOf(container.pid);
    peak = Math.max(peak, most);
    const isTooLarge = now > settings.memoryMiB;
    if (isTooLarge) process.kill(container.pid, "SIGKILL");
    else if (container.ended() === undefined) return;
    end ??= isTooLarge ? "out of memory" : container.ended();
    log += container.log();
    restarts += 1;
    starting = restart().finally(() => {
      starting = undefined;
    });
  };
  const restart = async () => {
    await container.stop();
    container = await startContainer();
  };
  const looks = setInterval(look, lookInterval);
  return {
    isServing() {
      const isMeasured = numberIn(stretchFile) !== undefined;
      if (isMeasured) process.kill(container.pid, "SIGUSR2");
    },
    ended: () => end,
    restarts: () => restarts,
    rssMiB: () => Math.round(peak),
    stretchMs: () => numberIn(stretchFile),
    log: () => log + container.log(),
    async stop() {
      clearInterval(looks);
      await starting;
      await container.stop();
    },
  };
}

/** The flags of the settings, and the flag that loads the measurement of the event loop. */
function nodeFlags({ node = [] }: PickerSettings, stretchFile: string): string[] {
  const measure = pathToFileURL(inRepository("test/attacks/loop-stretch.ts"));
  measure.searchParams.set("file", stretchFile);
  return [...node, `--import=${measure.href}`];
}

/** MiB, as counted by the kernel; 0 if the process has ended. */
function memoryOf(pid: number): { now: number; most: number } {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const mebibytes = (field: RegExp) => Number(field.exec(status)?.[1] ?? 0) / 1024;
    return { now: mebibytes(/VmRSS:\s+(\d+)/), most: mebibytes(/VmHWM:\s+(\d+)/) };
  } catch {
    return { now: 0, most: 0 };
  }
}

function numberIn(file: string): number | undefined {
  try {
    return Number(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
