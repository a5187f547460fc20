import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import { backends, embedder, localPool, pool, route, server } from "./places.fixture.ts";

const noRoute =
  "InferencePool ml/svc: spec: gets no requests: the stack has no route to it, and does not export it; allowed: a pool with a route. Add a route, or ignore this finding if another stack creates the route.";

const lora = (...values: string[]): Edit => [
  embedder,
  `${server} args`,
  ["--model", "m", "--enable-lora", ...values],
];
const ofVllm: Edit = [embedder, `${server} image`, "vllm/vllm-openai:v0.11.0"];
const mounted = (mountPath: string): Edit => [
  embedder,
  `${server} volumeMounts`,
  [{ name: "adapters", mountPath }],
];
const unmounted = (paths: string) =>
  `Deployment ml/embedder: spec.template.spec.containers[0].args: load the adapter ${paths}, and no volume of the container is mounted there; allowed: a path in a volume of the container, or in its image. Mount a volume with the adapters, or name an adapter of a registry. If the image contains the adapter, ignore this finding.`;

const renamed = (given: string) =>
  `Deployment ml/embedder: spec.template.spec.containers[0].args: ${given}; allowed: one name for each adapter, different from the name of the model. Rename the adapter, or set another --served-model-name.`;
const ofModel = (name: string) =>
  renamed(`load an adapter with the name ${name}, which is the name of the engine's model`);

const hpa = "HorizontalPodAutoscaler/decode";
const classed = (name: string): Edit => ["Gateway/gateway", "spec gatewayClassName", name];
const toZero: Edit = [hpa, "spec minReplicas", 0];
const givesUp = (where: string) =>
  `${where}: is 0, and ngf waits at most 60 s for the picker, which is shorter than the start of an engine; allowed: at least 1 behind this gateway, or a gateway that waits longer. Set the minimum to 1, or use a gateway that waits for the start: docs/gateways.md. If your clients retry until the replica is ready, ignore this finding.`;

export const unusedCases: readonly RuleCases[] = [
  {
    rule: "pool-has-a-route",
    allows: {
      "a route in another namespace": [
        [route, "metadata namespace", "web"],
        [route, `${backends} 0 namespace`, "ml"],
      ],
      "a pool that is exported to other clusters": [
        [route, "", undefined],
        [pool, "metadata annotations", { "inference.networking.x-k8s.io/export": "ClusterSet" }],
      ],
      "a pool of an import whose route an agent creates": [
        [route, "", undefined],
        [embedder, `${server} args`, ["parents-agent", "--import=svc"]],
      ],
      "a route of a gateway's own kind": [
        [
          route,
          "",
          {
            apiVersion: "aigateway.envoyproxy.io/v1alpha1",
            kind: "AIGatewayRoute",
            metadata: { name: "svc", namespace: "ml" },
            spec: { rules: [{ backendRefs: [localPool] }] },
          },
        ],
      ],
    },
    refuses: {
      "a pool without a route": { edits: [[route, "", undefined]], finds: [noRoute] },
      "a route to another pool": {
        edits: [[route, `${backends} 0 name`, "other"]],
        finds: [noRoute],
      },
      "a route to a Service of the same name": {
        edits: [[route, backends, [{ kind: "Service", name: "svc", port: 80 }]]],
        finds: [noRoute],
      },
    },
  },
  {
    rule: "adapters-are-in-a-volume",
    allows: {
      "an adapter in a volume": [
        ofVllm,
        lora("--lora-modules", "a=/adapters/a"),
        mounted("/adapters"),
      ],
      "an adapter of a registry": [ofVllm, lora("--lora-modules", "a=org/a")],
      "an adapter in JSON in a volume": [
        ofVllm,
        lora("--lora-modules", '{"name": "a", "path": "/adapters/a"}'),
        mounted("/adapters/"),
      ],
      "no adapter": [ofVllm, lora()],
    },
    refuses: {
      "an adapter without a volume": {
        edits: [ofVllm, lora("--lora-modules", "a=/adapters/a", "--port", "8080")],
        finds: [unmounted("/adapters/a")],
      },
      "two adapters, one of them outside of the volume": {
        edits: [
          ofVllm,
          mounted("/adapters"),
          lora("--lora-modules=a=/adapters/a", "b=/adapters-old/b"),
        ],
        finds: [unmounted("/adapters-old/b")],
      },
      "an adapter in JSON without a volume": {
        edits: [ofVllm, lora("--lora-modules", '{"name": "a", "path": "/adapters/a"}')],
        finds: [unmounted("/adapters/a")],
      },
    },
  },
  {
    rule: "adapters-have-names-of-their-own",
    allows: {
      "two adapters with different names": [ofVllm, lora("--lora-modules", "a=org/a", "b=org/b")],
      "two names for one adapter": [ofVllm, lora("--lora-modules", "a=org/a", "b=org/a")],
      "the name of the model, if the engine serves the model under another name": [
        ofVllm,
        lora("--served-model-name", "base", "--lora-modules", "m=org/a"),
      ],
    },
    refuses: {
      "an adapter with the name of the model": {
        edits: [ofVllm, lora("--lora-modules", "m=org/a")],
        finds: [ofModel("m")],
      },
      "an adapter in JSON with the served name of the model": {
        edits: [
          ofVllm,
          lora("--served-model-name=chat", "--lora-modules", '{"name": "chat", "path": "org/a"}'),
        ],
        finds: [ofModel("chat")],
      },
      "two adapters with one name": {
        edits: [ofVllm, lora("--lora-modules", "a=org/a", '{"name": "a", "path": "org/b"}')],
        finds: [renamed("load two adapters with the name a")],
      },
    },
  },
  {
    rule: "gateway-waits-for-the-first-replica",
    allows: {
      "a gateway that waits": [toZero, classed("eg")],
      "a minimum of 1": [classed("nginx")],
      "a gateway that is not known": [toZero, classed("unheard-of")],
    },
    refuses: {
      "a HorizontalPodAutoscaler that may go to 0": {
        edits: [toZero, classed("nginx")],
        finds: [givesUp("HorizontalPodAutoscaler ml/decode: spec.minReplicas")],
      },
      "a ScaledObject whose default is 0": {
        edits: [
          classed("nginx"),
          [
            hpa,
            "",
            {
              apiVersion: "keda.sh/v1alpha1",
              kind: "ScaledObject",
              metadata: { name: "decode", namespace: "ml" },
              spec: { scaleTargetRef: { kind: "LeaderWorkerSet", name: "svc-decode" } },
            },
          ],
        ],
        finds: [givesUp("ScaledObject ml/decode: spec.minReplicaCount")],
      },
      "an autoscaler of the other role": {
        edits: [[hpa, "spec scaleTargetRef name", "svc-prefill"], toZero, classed("nginx")],
        finds: [givesUp("HorizontalPodAutoscaler ml/decode: spec.minReplicas")],
      },
    },
  },
];
