import type { InferenceServiceArgs } from "pulumi-inference";

export const name = "deepseek-sglang";

/** SGLang over two nodes. The arguments by which its pods find each other are the plan's. */
export const args: InferenceServiceArgs = {
  roles: [
    {
      name: "inference",
      componentType: "worker",
      replicas: 2,
      multinode: { nodeCount: 2 },
      template: {
        // By this label the endpoint picker reads SGLang's metrics, which --enable-metrics turns on.
        metadata: { labels: { "llm-d.ai/engine-type": "sglang" } },
        spec: {
          containers: [
            {
              name: "sglang",
              image: "lmsysorg/sglang:v0.5.23",
              command: ["python3", "-m", "sglang.launch_server"],
              args: [
                "--model-path",
                "deepseek-ai/DeepSeek-R1",
                "--tp",
                "16",
                "--trust-remote-code",
                "--enable-metrics",
                "--host",
                "0.0.0.0",
                "--port",
                "30000",
              ],
              ports: [{ name: "http", containerPort: 30000 }],
              resources: { limits: { "nvidia.com/gpu": "8" } },
              volumeMounts: [{ name: "shm", mountPath: "/dev/shm" }],
            },
          ],
          volumes: [{ name: "shm", emptyDir: { medium: "Memory", sizeLimit: "16Gi" } }],
        },
      },
    },
    {
      name: "router",
      componentType: "router",
      httproute: { parentRefs: [{ name: "inference-gateway" }] },
    },
  ],
};
