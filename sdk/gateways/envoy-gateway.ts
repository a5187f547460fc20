import type { Gateway } from "./gateway.ts";

/** Envoy Gateway with Envoy AI Gateway, which takes pools as backends. */
export const envoyGateway = {
  title: "Envoy Gateway with Envoy AI Gateway",
  pools: {
    classes: ["eg", "envoy", "envoy-gateway", "envoy-ai-gateway*"],
    proxies: "in-cluster",
    objects: () => [],
    planned: "nothing",
    source: "aigateway.envoyproxy.io, HTTPRoute + InferencePool guide",
  },
  imports: undefined,
} as const satisfies Gateway;
