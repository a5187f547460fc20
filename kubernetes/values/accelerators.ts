/** A resource with which containers request accelerators. */
export interface AcceleratorResource {
  readonly maker: string;
  /** Matching names, for docs/gpu-nodes.md. */
  readonly names: readonly string[];
  /** Matches the whole name of the resource. */
  readonly resource: RegExp;
  /**
   * Units of the resource per device. Default 1. `unknown` for memory, whose amount differs by device. With any value
   * except 1, the resource is a share of a device, which is counted if the container requests no whole one.
   */
  readonly perDevice?: number | "unknown";
  /** Ranks of an engine on one device. Default 1. */
  readonly ranks?: "unknown";
  /** Set for several resources that count the same devices of a node in different units. */
  readonly sameDevices?: string;
  /** The device plugin or documentation that defines the name. */
  readonly source: string;
}

/**
 * All known resources that count accelerators; the first matching row applies. A resource without a row counts if the
 * service declares it (`accelerators`).
 */
export const acceleratorResources: readonly AcceleratorResource[] = [
  {
    maker: "NVIDIA",
    names: [
      "nvidia.com/gpu",
      "nvidia.com/gpu.shared",
      "nvidia.com/mig-1g.10gb",
      "nvidia.com/gpu-10gb",
      "nvidia.com/vgpu",
    ],
    resource: /^nvidia\.com\/(gpu(\.shared|-\d+gb)?|mig-.+|vgpu|remote-gpu)$/,
    source: "NVIDIA/k8s-device-plugin; nebuly-ai/nos (gpu-10gb); Project-HAMi/HAMi (remote-gpu)",
  },
  {
    maker: "AMD",
    names: ["amd.com/gpu", "amd.com/cpx_nps4"],
    resource: /^amd\.com\/(gpu|[sdqc]px_nps\d)$/,
    source: "ROCm/k8s-device-plugin, resource naming strategy mixed",
  },
  {
    maker: "Intel GPU",
    names: ["gpu.intel.com/i915", "gpu.intel.com/xe"],
    resource: /^gpu\.intel\.com\/(i915|xe)$/,
    source: "intel/intel-device-plugins-for-kubernetes, not its millicores and memory.max",
  },
  {
    maker: "Intel Gaudi",
    names: ["habana.ai/gaudi"],
    resource: /^habana\.ai\/gaudi$/,
    source: "Habana device plugin",
  },
  {
    maker: "Google TPU",
    names: ["google.com/tpu"],
    resource: /^google\.com\/tpu$/,
    source: "GKE, TPUs in GKE",
  },
  {
    maker: "Huawei Ascend",
    names: [
      "huawei.com/Ascend910",
      "huawei.com/Ascend910-2c",
      "huawei.com/Ascend310P",
      "huawei.com/ascend-1980",
      "huawei.com/npu",
    ],
    resource: /^huawei\.com\/(ascend[^/]*|npu)$/i,
    source:
      "Ascend/ascend-device-plugin: Ascend910, Ascend910-2c, Ascend310P-4c; ascend-1980 of CCE",
  },
  {
    maker: "AWS Neuron, cores",
    names: ["aws.amazon.com/neuroncore"],
    resource: /^aws\.amazon\.com\/neuroncore$/,
    sameDevices: "neuron",
    source: "AWS Neuron device plugin",
  },
  {
    maker: "AWS Neuron",
    names: ["aws.amazon.com/neuron", "aws.amazon.com/neurondevice"],
    resource: /^aws\.amazon\.com\/neuron(device)?$/,
    // A device has 2 to 8 cores, and a rank runs on one or more of them.
    ranks: "unknown",
    sameDevices: "neuron",
    source: "AWS Neuron device plugin",
  },
  {
    maker: "Cambricon",
    names: ["cambricon.com/mlu", "cambricon.com/mlu370", "cambricon.com/vmlu"],
    resource: /^cambricon\.com\/(v|real-)?mlu[^/]*$/,
    source: "Cambricon/cambricon-k8s-device-plugin; Project-HAMi/HAMi (vmlu)",
  },
  {
    maker: "MetaX",
    names: ["metax-tech.com/gpu", "metax-tech.com/sgpu"],
    resource: /^metax-tech\.com\/s?gpu$/,
    source: "Project-HAMi/HAMi",
  },
  {
    maker: "Iluvatar",
    names: ["iluvatar.ai/gpu", "iluvatar.com/gpu", "iluvatar.ai/BI-V150-vgpu"],
    resource: /^iluvatar\.(ai|com)\/([^/]+-)?v?gpu$/,
    source: "Deep-Spark/ix-device-plugin; Project-HAMi/HAMi (BI-V150-vgpu)",
  },
  {
    maker: "Kunlunxin",
    names: ["kunlunxin.com/xpu", "kunlunxin.com/vxpu", "baidu.com/xpu", "baidu.com/v100_cgpu"],
    resource: /^(kunlunxin|baidu)\.com\/([^/]+_)?(v?xpu|c?gpu)$/,
    source: "Project-HAMi/HAMi (xpu, vxpu); Baidu CCE (v100_cgpu)",
  },
  {
    maker: "Hygon",
    names: ["hygon.com/dcu", "hygon.com/dcunum"],
    resource: /^hygon\.com\/dcu(num)?$/,
    source: "Hygon device plugin; Project-HAMi/HAMi (dcunum)",
  },
  {
    maker: "Enflame",
    names: ["enflame.com/gcu", "enflame.com/drs-gcu"],
    resource: /^enflame\.com\/(shared-|drs-|v)?gcu$/,
    source: "Project-HAMi/HAMi",
  },
  {
    maker: "Vastai, Qualcomm, Rebellions and Furiosa",
    names: ["vastaitech.com/va", "qualcomm.com/qaic", "rebellions.ai/ATOM", "furiosa.ai/rngd"],
    resource:
      /^(vastaitech\.com\/va|qualcomm\.com\/qaic|rebellions\.ai\/ATOM[^/]*|furiosa\.ai\/(rngd|warboy))$/,
    source: "Project-HAMi/HAMi; the makers' device plugins",
  },
  {
    maker: "Volcano",
    names: ["volcano.sh/vgpu-number", "volcano.sh/gpu-number"],
    resource: /^volcano\.sh\/v?gpu-number$/,
    source: "volcano-sh/devices, Project-HAMi/volcano-vgpu-device-plugin",
  },
  {
    maker: "Aliyun",
    names: ["aliyun.com/gpu-count"],
    resource: /^aliyun\.com\/gpu-count$/,
    source: "AliyunContainerService/gpushare-scheduler-extender",
  },
  {
    maker: "Shares in percent: Aliyun, Koordinator, Tencent",
    names: ["aliyun.com/gpu-core.percentage", "koordinator.sh/gpu-core", "tencent.com/vcuda-core"],
    resource:
      /^(aliyun\.com\/gpu-core\.percentage|koordinator\.sh\/gpu(-core|-memory-ratio)?|tencent\.com\/vcuda-core)$/,
    perDevice: 100,
    source: "Aliyun ACK, GPU sharing; koordinator-sh/koordinator; tkestack/gpu-manager",
  },
  {
    maker: "Shares of memory: Aliyun, Volcano",
    names: ["aliyun.com/gpu-mem", "volcano.sh/gpu-memory"],
    resource: /^(aliyun\.com\/gpu-mem|volcano\.sh\/gpu-memory)$/,
    perDevice: "unknown",
    source: "AliyunContainerService/gpushare-scheduler-extender; volcano-sh/devices",
  },
  {
    maker: "Any, by a DeviceClass",
    names: ["deviceclass.resource.kubernetes.io/gpu.nvidia.com"],
    resource: /^deviceclass\.resource\.kubernetes\.io\/.*(gpu|mig|tpu|npu|neuron|gaudi)/,
    source: "Kubernetes KEP-5004, extended resources of device classes",
  },
  {
    maker: "Any, by the usual names",
    names: ["example.com/gpu", "example.com/npu"],
    resource: /^[^/]+\.[^/]+\/[vsc]?(gpu|npu|xpu|tpu|hpu|mlu|gcu|dcu|ppu)$/i,
    source: "Kubernetes, Device Plugins: vendor-domain/resourcetype",
  },
];

/** Memory, cores and percentages limit the use of devices that another resource counts. */
const isPartOfADevice = (resource: string) =>
  /(mem|memory|vmem|vmemory|[._-]v?cores?|gpucores|dcucores|percentage|ratio)$/i.test(resource);

/** Returns the row of a resource; undefined for a resource that counts no accelerators. */
export function acceleratorResource(resource: string): AcceleratorResource | undefined {
  // Resources of Kubernetes, such as cpu, have no domain.
  if (!resource.includes("/")) return undefined;
  const row = acceleratorResources.find((each) => each.resource.test(resource));
  return row?.perDevice === undefined && isPartOfADevice(resource) ? undefined : row;
}

/** Whether a resource counts accelerators or shares of them. */
export const isAccelerator = (resource: string): boolean =>
  acceleratorResource(resource) !== undefined;
