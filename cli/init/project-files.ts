import { acceleratorTypes } from "../../sdk/engines/accelerators/index.ts";
import { engines } from "../../sdk/engines/index.ts";
import type { EngineName } from "../../sdk/engines/interface/engine.ts";
import type { ModelTask } from "../../sdk/engines/models/model-facts.ts";

/** A service of one model behind a gateway of its own. */
export interface Project {
  readonly name: string;
  readonly model: string;
  readonly task: ModelTask;
  readonly accelerator: string;
  readonly engine: EngineName;
  readonly gatewayClassName: string;
  /** Secret with the Hugging Face token of a gated model. */
  readonly tokenSecret?: string;
  /** Contents of the model's config.json, for a model that is not in the catalog. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/** Functions of the package that return the settings of an engine. */
const engineFunctions = { sglang: "sglang", "tensorrt-llm": "tensorRtLlm", vllm: "vllm" } as const;

/**
 * Returns the files of a project, by name.
 *
 * @param dependency the version or the source of this package
 */
export const projectFiles = (project: Project, dependency: string): Map<string, string> =>
  new Map([
    ["Pulumi.yaml", pulumiYaml(project)],
    ["package.json", packageJson(project, dependency)],
    ["tsconfig.json", tsconfig],
    [".gitignore", "/bin/\n/node_modules/\n"],
    ["index.ts", program(project)],
    ...(project.config ? [["config.json", json(project.config)] as const] : []),
    ["README.md", readme(project)],
  ]);

const titleOf = ({ model, engine, accelerator }: Project) =>
  `${model} with ${engines[engine].title} on ${titleOfAccelerator(accelerator)}`;

const titleOfAccelerator = (name: string) =>
  acceleratorTypes[name as keyof typeof acceleratorTypes].title;

const pulumiYaml = (project: Project) => `\
name: ${project.name}
description: ${titleOf(project)}
runtime:
  name: nodejs
  options:
    packagemanager: npm
`;

const packageJson = ({ name }: Project, dependency: string) =>
  json({
    name,
    private: true,
    main: "index.ts",
    dependencies: {
      "@pulumi/kubernetes": "^4.34.0",
      "@pulumi/pulumi": "^3.270.0",
      "pulumi-inference": dependency,
    },
    devDependencies: { "@types/node": "^24", typescript: "^6.0.0" },
  });

/** The compiler options in Pulumi's template for Kubernetes. */
const tsconfig = json({
  compilerOptions: {
    strict: true,
    outDir: "bin",
    target: "es2020",
    module: "nodenext",
    moduleResolution: "nodenext",
    types: ["node"],
    sourceMap: true,
    experimentalDecorators: true,
    noFallthroughCasesInSwitch: true,
    noImplicitReturns: true,
    forceConsistentCasingInFileNames: true,
  },
  files: ["index.ts"],
});

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function program(project: Project): string {
  const { name, model, accelerator, engine, gatewayClassName, tokenSecret, config } = project;
  const settings = engineFunctions[engine];
  const imported = ["huggingFace", "InferenceService", "router", settings, "worker"];
  const options = [
    ...(tokenSecret === undefined ? [] : [`token: ${text(tokenSecret)}`]),
    ...(config === undefined ? [] : ["config"]),
  ];
  const modelOptions = options.length === 0 ? "" : `, { ${options.join(", ")} }`;
  const file =
    config === undefined
      ? ""
      : `
/** The model's config.json, from which memory and parallel sizes are calculated. */
const config = JSON.parse(readFileSync(join(__dirname, "config.json"), "utf8"));
`;
  return `\
${config === undefined ? "" : 'import { readFileSync } from "node:fs";\nimport { join } from "node:path";\n'}import { ${imported.toSorted(byLetter).join(", ")} } from "pulumi-inference";
${file}
const service = new InferenceService(${text(name)}, {
  model: huggingFace(${text(model)}${modelOptions}),
  accelerator: ${text(accelerator)},
  engine: ${settings}(),
  roles: [
    worker({ replicas: 1 }),
    router({
      gateway: {
        gatewayClassName: ${text(gatewayClassName)},
        listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
      },
    }),
  ],
});

/** Base URL of the OpenAI API; empty until the gateway has an address. */
export const url = service.url.apply((known) => known ?? "");
/** The gateway that serves the URL, or the reason why there is none yet. */
export const urlStatus = service.urlStatus;
`;
}

const text = (value: string) => JSON.stringify(value);
const byLetter = (a: string, b: string) => a.toLowerCase().localeCompare(b.toLowerCase(), "en");

const readme = (project: Project) => `\
# ${project.name}

${titleOf(project)}, behind a Gateway of class \`${project.gatewayClassName}\`.

\`\`\`sh
npm install
npx pulumi-inference doctor   # what the cluster lacks, and the command that installs it
\`\`\`

package.json installs pulumi-inference from the source that wrote this project. Until its image is published, push the image
of the endpoint picker from a checkout: \`npm run image -- --push REGISTRY/NAME\`.
${tokenSection(project)}
Deploy it, and send a request:

\`\`\`sh
pulumi up
${requestCommand(project)}
\`\`\`

\`npx pulumi-inference fit ${project.model}\` shows how many devices a replica needs on other accelerators.
`;

function tokenSection({ model, tokenSecret }: Project): string {
  if (tokenSecret === undefined) return "";
  return `
${model} is gated: accept its terms on https://huggingface.co/${model}, and put a token of the same account into a Secret:

\`\`\`sh
kubectl create secret generic ${tokenSecret} --from-literal=token="$HF_TOKEN"
\`\`\`
`;
}

/** Returns the command for one request of the model's task. */
function requestCommand({ name, model, task }: Project): string {
  if (task === "generate") return `npx pulumi-inference request ${name} "Why is the sky blue?"`;
  const [path, body] =
    task === "embed"
      ? ["embeddings", { model, input: "Why is the sky blue?" }]
      : ["rerank", { model, query: "sky", documents: ["The sky is blue.", "Grass is green."] }];
  return `curl "$(pulumi stack output url)/${path}" -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(body)}'`;
}
