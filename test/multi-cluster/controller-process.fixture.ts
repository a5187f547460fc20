import { type PickerProcess, startRuntime } from "../../testing/pods/picker-process.ts";

/** A controller of a cluster set in a process of its own, on free ports, once it listens. */
export const startProcess = (args: readonly string[]): Promise<PickerProcess> =>
  startRuntime("multi-cluster-controller", {
    args: ["--metrics-port=0", "--metrics-endpoint-auth=false", "--health-port=0", ...args],
  });
