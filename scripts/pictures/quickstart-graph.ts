import { planGraph } from "../../sdk/graph/plan-graph.ts";
import { planInferenceService } from "../../sdk/index.ts";
import { graphPicture } from "./graph-picture.ts";

/** The objects of examples/quickstart. A test compares them with the objects that the program creates. */
export const quickstartObjects = () =>
  planInferenceService({
    metadata: { name: "quickstart" },
    spec: {
      model: { source: "huggingFace", name: "Qwen/Qwen2.5-0.5B-Instruct" },
      accelerator: "cpu",
      engine: { name: "vllm", maxModelLen: 4_096 },
      roles: [
        { name: "inference", componentType: "worker" },
        {
          name: "router",
          componentType: "router",
          gateway: {
            gatewayClassName: "agentgateway",
            listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
          },
        },
      ],
    },
  });

export const quickstartGraph = (): string =>
  graphPicture(planGraph(quickstartObjects()), "Objects and traffic of the quickstart");
