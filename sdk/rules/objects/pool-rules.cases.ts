import type { Edit, RuleCases } from "./edited-stack.fixture.ts";

const ports = (...numbers: number[]): Edit => [
  "InferencePool/svc",
  "spec targetPorts",
  numbers.map((number) => ({ number })),
];
const nine = [...Array(9).keys()].map((at) => 8000 + at);
const picker = (fields: object): Edit => pickerAlone({ port: { number: 9002 }, ...fields });
/** A reference without a port. */
const pickerAlone = (fields: object): Edit => [
  "InferencePool/svc",
  "spec endpointPickerRef",
  { name: "svc-epp", ...fields },
];
const refused = (given: string) =>
  `InferencePool ml/svc: spec.targetPorts: ${given}; allowed: 1 to 8 different ports. Remove ports, or divide the ranks over more pods.`;
const other = (kind: string) =>
  `InferencePool ml/svc: spec.endpointPickerRef.kind: is ${kind}; allowed: Service. Set it to the picker's Service.`;
const withoutPort = (service: string) =>
  `InferencePool ml/svc: spec.endpointPickerRef.port.number: is missing; allowed: a port of Service ${service}. Set it, for example to 9002.`;

export const poolCases: readonly RuleCases[] = [
  {
    rule: "pool-has-1-to-8-ports",
    allows: {
      "one port": [ports(8000)],
      "eight ports": [ports(...nine.slice(1))],
      "no list": [["InferencePool/svc", "spec targetPorts", undefined]],
    },
    refuses: {
      "nine ports": { edits: [ports(...nine)], finds: [refused("has 9 ports")] },
      "no port": { edits: [ports()], finds: [refused("has 0 ports")] },
      "a port twice": {
        edits: [ports(8000, 8000)],
        finds: [refused("has a port twice: 8000, 8000")],
      },
    },
  },
  {
    rule: "picker-reference-has-a-port",
    allows: {
      "a pool without a picker": [["InferencePool/svc", "spec endpointPickerRef", undefined]],
      "another port": [picker({ name: "another", port: { number: 9003 } })],
      "a picker of another kind": [pickerAlone({ kind: "Gateway" })],
    },
    refuses: {
      "a Service without a port": {
        edits: [pickerAlone({})],
        finds: [withoutPort("svc-epp")],
      },
      "a Service that is not in the stack": {
        edits: [pickerAlone({ name: "another", kind: "Service" })],
        finds: [withoutPort("another")],
      },
      "a port without a number": {
        edits: [picker({ port: {} })],
        finds: [withoutPort("svc-epp")],
      },
    },
  },
  {
    rule: "pool-picker-is-a-service",
    allows: {
      "no kind": [picker({})],
      "a Service": [picker({ kind: "Service" })],
      "a Service of the core group": [picker({ group: "", kind: "Service" })],
    },
    refuses: {
      "a Gateway": {
        edits: [picker({ group: "gateway.networking.k8s.io", kind: "Gateway" })],
        finds: [other("Gateway")],
      },
      "a Deployment": {
        edits: [picker({ group: "apps", kind: "Deployment" })],
        finds: [other("Deployment")],
      },
      "a Pod": { edits: [picker({ kind: "Pod" })], finds: [other("Pod")] },
    },
  },
];
