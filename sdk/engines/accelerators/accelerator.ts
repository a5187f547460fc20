/** A device that runs a share of a model: its memory, its resource name, and its connection to other devices. */
export interface AcceleratorType {
  readonly title: string;
  /** The kind of image that runs on it. */
  readonly platform: Platform;
  /** Resource by which a container requests devices; undefined for CPUs. */
  readonly resource?: string;
  /** Memory of one device that the engine's process can use, in GiB. For CPUs, the memory that the pod requests. */
  readonly memoryGiB: number;
  /** Devices of a usual node, and thus the most devices of one pod. */
  readonly perNode: number;
  /** CUDA compute capability, major and minor. Undefined for devices of other makers. */
  readonly capability?: Capability;
  /** Connection between the devices of a node. */
  readonly link: "nvlink" | "pcie" | "infinity-fabric" | "ethernet" | "ici" | "hccs" | "none";
}

export type Platform = "cuda" | "rocm" | "gaudi" | "tpu" | "ascend" | "xpu" | "cpu";

export type Capability = readonly [major: number, minor: number];
