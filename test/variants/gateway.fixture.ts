import type { Gateway } from "../../sdk/gateways/gateway.ts";

/** A gateway as a contributor would write it: a file, and two lines in `sdk/gateways/index.ts`. */
export const exampleGateway = {
  title: "Example gateway",
  ownKinds: {},
  pools: {
    classes: ["example"],
    proxies: "in-cluster",
    pickerTimeoutSeconds: 5,
    reachesTls: false,
    objects: ({ name, picker, metadata }) => [
      {
        apiVersion: "gateway.example.com/v1",
        kind: "PickerPolicy",
        metadata: metadata(`${name}-picker`),
        spec: { service: picker?.name },
      },
    ],
    planned: "a PickerPolicy",
    source: "https://gateway.example.com/docs/inference",
  },
  imports: undefined,
} as const satisfies Gateway;
