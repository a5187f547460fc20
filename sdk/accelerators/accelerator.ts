/** A device that runs a share of a model: the facts that decide what fits on it and how a pod gets it. */
export interface AcceleratorType {
  /** Name in texts. */
  readonly title: string;
  /** The kind of image that runs on it. */
  readonly platform: Platform;
  /** Resource by which a container requests devices; undefined for CPUs. */
  readonly resource?: string;
  /** Memory of one device as the engine's process sees it, in GiB; for CPUs it is what the pod requests. */
  readonly memoryGiB: number;
  /** Devices of the usual node, which is the most that one pod has. */
  readonly perNode: number;
  /** CUDA compute capability, major and minor. Undefined for devices of other makers. */
  readonly capability?: Capability;
  /** Connection between the devices of a node. */
  readonly link: "nvlink" | "pcie" | "infinity-fabric" | "ethernet" | "ici" | "hccs" | "none";
}

export type Platform = "cuda" | "rocm" | "gaudi" | "tpu" | "ascend" | "xpu" | "cpu";

export type Capability = readonly [major: number, minor: number];
