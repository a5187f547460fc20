import type { Gateway } from "./gateway.ts";

/** kgateway, which serves no picker in plain text. */
export const kgateway = {
  title: "kgateway",
  ownKinds: {},
  pools: {
    classes: ["kgateway"],
    proxies: "beside-gateway",
    pickerTimeoutSeconds: 5,
    reachesTls: false,
    // Envoy's default of RouteAction.timeout: kgateway's route translator sets none without `timeouts`.
    answerLimitSeconds: 15,
    severalPools: "answers such rules with 503 (kgateway-dev/kgateway#11667)",
    objects: () => [],
    planned: "nothing",
    source: "kgateway.dev, Inference Extension; kgateway issue 11429",
  },
  imports: undefined,
} as const satisfies Gateway;
