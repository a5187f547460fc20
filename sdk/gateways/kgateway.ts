import type { Gateway } from "./gateway.ts";

/** kgateway. It does not call pickers that serve plain text. */
export const kgateway = {
  title: "kgateway",
  ownKinds: {},
  pools: {
    classes: ["kgateway"],
    proxies: "beside-gateway",
    pickerTimeoutSeconds: 5,
    reachesTls: false,
    // Envoy's default of RouteAction.timeout: kgateway's route translator sets no timeout unless `timeouts` is set.
    answerLimitSeconds: 15,
    severalPools: "answers such rules with 503 (kgateway-dev/kgateway#11667)",
    objects: () => [],
    planned: "nothing",
    source: "kgateway.dev, Inference Extension; kgateway issue 11429",
  },
  imports: undefined,
} as const satisfies Gateway;
