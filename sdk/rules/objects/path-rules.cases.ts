import type { Edit, RuleCases } from "./edited-stack.fixture.ts";
import { decode, embedder, leader, leaderEngine, server, workerEngine } from "./places.fixture.ts";

const image: Edit = [embedder, `${server} image`, "vllm/vllm-openai:v0.32.0"];
const serves = (...args: string[]): Edit => [
  embedder,
  `${server} args`,
  ["vllm", "serve", ...args],
];
const mount = (mountPath: string, more: object = {}): Edit => [
  embedder,
  `${server} volumeMounts`,
  [{ name: "models", mountPath, ...more }],
];
const volume = (source: object): Edit => [
  embedder,
  "spec template spec volumes",
  [{ name: "models", ...source }],
];
const claim = volume({ persistentVolumeClaim: { claimName: "m" } });
const empty = volume({ emptyDir: {} });
const env = (...names: Array<readonly [string, string]>): Edit => [
  embedder,
  `${server} env`,
  names.map(([name, value]) => ({ name, value })),
];
const downloads: Edit = [
  embedder,
  "spec template spec initContainers",
  [{ name: "get", image: "get:1.0.0", volumeMounts: [{ name: "models", mountPath: "/models" }] }],
];
const atLeader: Edit[] = [
  [
    decode,
    `${leader} spec volumes 1`,
    { name: "models", persistentVolumeClaim: { claimName: "m" } },
  ],
  [decode, `${leaderEngine} volumeMounts 1`, { name: "models", mountPath: "/models" }],
];
const vllm = (engine: string, ...args: string[]): Edit[] => [
  [decode, `${engine} command`, ["vllm", "serve"]],
  [decode, `${engine} args`, args],
];

export const pathCases: readonly RuleCases[] = [
  {
    rule: "paths-are-mounted",
    allows: {
      "a path in a volume": [image, serves("/models/a"), mount("/models"), claim],
      "the name of a model": [image, serves("org/a")],
      "a path in an image with models": [serves("/models/a")],
      "a template that the image contains": [
        image,
        serves("org/a", "--chat-template", "/vllm-workspace/examples/t.jinja"),
      ],
      "an emptyDir that an init container fills": [
        image,
        serves("/models/a"),
        mount("/models"),
        empty,
        downloads,
      ],
      "a command that downloads": [
        image,
        [embedder, `${server} args`, ["sh", "-c", "hf download a --local-dir /m && vllm serve /m"]],
      ],
    },
    refuses: {
      "a model in no volume": {
        edits: [image, claim, mount("/models"), serves("/llama/a")],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].args: read /llama/a (model), but no volume contains it (mounted: /models); allowed: a path in a volume that contains the files. Mount the volume with the files, or correct the path.",
        ],
      },
      "a mount whose name only starts alike": {
        edits: [image, claim, serves("/models/a"), mount("/models"), mount("/model")],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].args: read /models/a (model), but no volume contains it (mounted: /model); allowed: a path in a volume that contains the files. Mount the volume with the files, or correct the path.",
        ],
      },
      "a template of prompts in no volume": {
        edits: [image, serves("org/a", "--chat-template", "/templates/t.jinja")],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].args: read /templates/t.jinja (--chat-template), but no volume contains it (mounted: none); allowed: a path in a volume that contains the files. Mount the volume with the files, or correct the path.",
        ],
      },
      "an emptyDir that nothing fills": {
        edits: [image, serves("/models/a"), mount("/models"), empty],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].args: read /models/a (model), but the emptyDir at /models is empty, because no other container mounts it; allowed: a path in a volume that contains the files. Mount the volume with the files, or correct the path.",
        ],
      },
      "workers without the leader's volume": {
        edits: [
          ...vllm(workerEngine, "org/a", "--headless"),
          ...atLeader,
          ...vllm(leaderEngine, "/models/a"),
          [decode, `${workerEngine} args`, ["/models/a", "--headless"]],
        ],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.containers[0].args: read /models/a (model), but no volume contains it (mounted: none); the leader mounts models at /models; allowed: a path in a volume that contains the files. Add the volume and its files to workerTemplate.",
        ],
      },
      "workers of Ray without the leader's volume": {
        edits: [
          ...atLeader,
          [
            decode,
            `${leaderEngine} args`,
            ["ray start --head --port=6379 && vllm serve /models/a"],
          ],
        ],
        finds: [
          "LeaderWorkerSet ml/svc-decode: spec.leaderWorkerTemplate.workerTemplate.spec.containers[0].volumeMounts: read /models/a (model), but no volume contains it (mounted: none); the leader mounts models at /models; allowed: a path in a volume that contains the files. Add the volume and its files to workerTemplate.",
        ],
      },
    },
  },
  {
    rule: "caches-are-writable",
    allows: {
      "a writable cache": [serves("org/a"), env(["HF_HOME", "/c"]), mount("/c"), claim],
      "a read-only cache that is complete": [
        serves("org/a"),
        env(["HF_HOME", "/c"], ["HF_HUB_OFFLINE", "1"]),
        mount("/c", { readOnly: true }),
        claim,
      ],
      "a path in a read-only volume": [serves("/c/a"), mount("/c", { readOnly: true }), claim],
      "a writable cache below a read-only volume": [
        serves("org/a"),
        env(["HF_HUB_CACHE", "/c/hub"]),
        [
          embedder,
          `${server} volumeMounts`,
          [
            { name: "models", mountPath: "/c", readOnly: true },
            { name: "hub", mountPath: "/c/hub" },
          ],
        ],
      ],
    },
    refuses: {
      "a read-only mount": {
        edits: [
          serves("org/a"),
          env(["HF_HUB_CACHE", "/c"]),
          claim,
          mount("/c", { readOnly: true }),
        ],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].env[0].value: stores downloads at /c (HF_HUB_CACHE), but its volume models is read-only; allowed: a writable volume. Mount it writable, set HF_HUB_OFFLINE to 1 if it contains the model, or load the model by its path.",
        ],
      },
      "a read-only claim": {
        edits: [
          serves("org/a", "--download-dir", "/c/d"),
          mount("/c"),
          volume({ persistentVolumeClaim: { claimName: "m", readOnly: true } }),
        ],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].args: stores downloads at /c/d (--download-dir), but its volume models is read-only; allowed: a writable volume. Mount it writable, set HF_HUB_OFFLINE to 1 if it contains the model, or load the model by its path.",
        ],
      },
      "the default directory": {
        edits: [serves("org/a"), claim, mount("/root/.cache/huggingface", { readOnly: true })],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].volumeMounts: stores downloads at /root/.cache/huggingface (by default), but its volume models is read-only; allowed: a writable volume. Mount it writable, set HF_HUB_OFFLINE to 1 if it contains the model, or load the model by its path.",
        ],
      },
      "a switch that is off": {
        edits: [
          serves("org/a"),
          mount("/c", { readOnly: true }),
          claim,
          env(["HF_HOME", "/c"], ["HF_HUB_OFFLINE", "0"]),
        ],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].env[0].value: stores downloads at /c (HF_HOME), but its volume models is read-only; allowed: a writable volume. Mount it writable, set HF_HUB_OFFLINE to 1 if it contains the model, or load the model by its path.",
        ],
      },
      "compiled files on a read-only root file system": {
        edits: [
          serves("/c/a"),
          env(["VLLM_CACHE_ROOT", "/vllm"]),
          [embedder, `${server} securityContext readOnlyRootFilesystem`, true],
        ],
        finds: [
          "Deployment ml/embedder: spec.template.spec.containers[0].env[0].value: stores compiled files at /vllm (VLLM_CACHE_ROOT), but the root file system is read-only; allowed: a writable volume. Mount it writable, or set the variable to another directory.",
        ],
      },
    },
  },
];
