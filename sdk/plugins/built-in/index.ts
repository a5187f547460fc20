import type { PodPlugin } from "../pod-plugin.ts";
import { huaweiAscendDefaults } from "./huawei-ascend-defaults.ts";
import { lwsStandardLabels } from "./lws-standard-labels.ts";
import { modelCache } from "./model-cache.ts";
import { nvidiaGpuDefaults } from "./nvidia-gpu-defaults.ts";
import { rdmaDefaults } from "./rdma-defaults.ts";
import { shm } from "./shm.ts";
import { topologySpread } from "./topology-spread.ts";

/** Plugins of this project. */
export const builtInPodPlugins: readonly PodPlugin[] = [
  nvidiaGpuDefaults,
  huaweiAscendDefaults,
  rdmaDefaults,
  shm,
  modelCache,
  lwsStandardLabels,
  topologySpread,
];
