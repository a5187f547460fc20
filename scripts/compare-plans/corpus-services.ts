import type { AcceleratorName } from "../../sdk/engines/accelerators/index.ts";
import {
  containerOf,
  failures,
  recipes,
} from "../../sdk/engines/start-up/corpus/corpus.fixture.ts";
import type { InferenceServiceInput } from "../../sdk/index.ts";

/** The public configurations of the corpus as services, each on every accelerator that it names. */
export const corpusServices: readonly InferenceServiceInput[] = [...failures, ...recipes].flatMap(
  (configuration, at) =>
    configuration.accelerators.map((accelerator) => ({
      apiVersion: "fusioninfer.io/v1alpha1",
      kind: "InferenceService",
      metadata: { name: `c${at}`, namespace: accelerator },
      spec: {
        roles: [
          {
            name: "inference",
            componentType: "worker",
            ...(accelerator !== "unknown" && { accelerator: accelerator as AcceleratorName }),
            ...(configuration.pods > 1 && { multinode: { nodeCount: configuration.pods } }),
            template: { spec: { containers: [containerOf(configuration, accelerator)] } },
          },
        ],
      },
    })) as InferenceServiceInput[],
);
