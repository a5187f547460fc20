import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import { embedder, server } from "./places.fixture.ts";

/** Turns the embedder into a picker of this project that reads its configuration from a ConfigMap. */
const asPicker = (text: string): Edit[] => [
  [embedder, `${server} image`, "registry.example/pulumi-inference:0.1.0"],
  [embedder, `${server} args`, ["--pool-name=svc", "--config-file=/config/config.yaml"]],
  [embedder, `${server} volumeMounts`, [{ name: "config", mountPath: "/config" }]],
  [embedder, "spec template spec volumes", [{ name: "config", configMap: { name: "settings" } }]],
  ["ConfigMap/settings", "data", { "config.yaml": text }],
];

const pickerConfig = (body = "") =>
  `apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\n${body}`;

export const pickerConfigCases: readonly RuleCases[] = [
  {
    rule: "picker-starts-with-its-config",
    allows: {
      "a configuration with its defaults": asPicker(pickerConfig()),
      "a configuration with a feature gate": asPicker(
        pickerConfig("flowControl: {maxRequests: 1}"),
      ),
      "a broken configuration of another project's picker": [
        ...asPicker("a: ["),
        [embedder, `${server} image`, "registry.example/other-picker:0.1.0"],
      ],
      "a broken configuration that the picker does not read": [
        ...asPicker("a: ["),
        [embedder, `${server} args`, ["--pool-name=svc"]],
      ],
    },
    refuses: {
      "a configuration that is not YAML": {
        edits: [
          ...asPicker(pickerConfig()),
          ["ConfigMap/settings", "data", { "config.yaml": "a: [" }],
        ],
        finds: [
          'ConfigMap ml/settings: data["config.yaml"]: is not valid: Flow sequence in block collection must be sufficiently indented and end with a ] at line 1, column 5; allowed: an EndpointPickerConfig that the endpoint picker can load. Correct it. docs/endpoint-picker-plugins.md lists plugins and parameters.',
        ],
      },
      "a plugin whose type is misspelled": {
        edits: [
          ...asPicker(pickerConfig()),
          [
            "ConfigMap/settings",
            "data",
            { "config.yaml": pickerConfig("plugins: [{type: queue-scorrer}]") },
          ],
        ],
        finds: [
          'ConfigMap ml/settings: data["config.yaml"]: is not valid: plugins[0]: type queue-scorrer is unknown; did you mean queue-scorer? docs/endpoint-picker-plugins.md lists all; allowed: an EndpointPickerConfig that the endpoint picker can load. Correct it. docs/endpoint-picker-plugins.md lists plugins and parameters.',
        ],
      },
      "a configuration of another kind in the arguments": {
        edits: [
          ...asPicker(pickerConfig()),
          [embedder, `${server} args`, ["--pool-name=svc", "--config-text", "kind: Other"]],
        ],
        finds: [
          'Deployment ml/embedder: spec.template.spec.containers[0].args: is not valid: apiVersion: Invalid option: expected one of "llm-d.ai/v1alpha1"|"llm-d.ai/v1"|"inference.networking.x-k8s.io/v1alpha1"; allowed: an EndpointPickerConfig that the endpoint picker can load. Correct it. docs/endpoint-picker-plugins.md lists plugins and parameters.',
          'Deployment ml/embedder: spec.template.spec.containers[0].args: is not valid: kind: Invalid input: expected "EndpointPickerConfig"; allowed: an EndpointPickerConfig that the endpoint picker can load. Correct it. docs/endpoint-picker-plugins.md lists plugins and parameters.',
        ],
      },
    },
  },
  {
    rule: "picker-config-takes-effect",
    allows: {
      "a configuration with its defaults": asPicker(pickerConfig()),
      "a configuration that is not YAML": asPicker("a: ["),
      "a plugin that exists": asPicker(pickerConfig("plugins: [{type: inflight-load-producer}]")),
    },
    refuses: {
      "flow control whose feature gate is off": {
        edits: [
          ...asPicker(pickerConfig()),
          [
            "ConfigMap/settings",
            "data",
            { "config.yaml": pickerConfig("flowControl: {maxRequests: 1}") },
          ],
        ],
        finds: [
          'ConfigMap ml/settings: data["config.yaml"]: is not fully supported: flowControl is not used without featureGates: [flowControl]: requests are admitted without queues, sheddable ones refused while the pool is full; allowed: the plugins and sections that this picker supports. Remove it, or accept the difference.',
        ],
      },
      "a data layer shared by replicas": {
        edits: [
          ...asPicker(pickerConfig()),
          [
            "ConfigMap/settings",
            "data",
            { "config.yaml": pickerConfig("dataLayer: {crossReplicaSyncInterval: 1s}") },
          ],
        ],
        finds: [
          'ConfigMap ml/settings: data["config.yaml"]: is not fully supported: dataLayer.crossReplicaSyncInterval is not used; allowed: the plugins and sections that this picker supports. Remove it, or accept the difference.',
        ],
      },
      "a scorer that predicts cache events": {
        edits: [
          ...asPicker(pickerConfig()),
          [
            "ConfigMap/settings",
            "data",
            {
              "config.yaml": pickerConfig(
                "plugins: [{type: precise-prefix-cache-producer, parameters: {speculativeTTL: 2s}}]",
              ),
            },
          ],
        ],
        finds: [
          'ConfigMap ml/settings: data["config.yaml"]: is not fully supported: plugins[0]: speculativeTTL is not used: a prefix that was sent counts until its response begins; allowed: the plugins and sections that this picker supports. Remove it, or accept the difference.',
        ],
      },
    },
  },
];
