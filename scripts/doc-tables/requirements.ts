import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  add,
  formatQuantity,
  parseQuantity,
  type Quantity,
  zero,
} from "../../kubernetes/values/quantity.ts";
import { quickstartObjects } from "../pictures/quickstart-graph.ts";
import { code, table } from "./table.ts";

const root = join(import.meta.dirname, "..", "..");
const about = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  engines: { node: string };
};

/** Oldest versions of Node.js. */
export const nodeVersions = {
  /** For programs that import the package. */
  programs: about.engines.node.replace(">=", ""),
  /** For commands that read a cluster: the Kubernetes client library needs it. */
  clusters: "22.19",
  /** For scripts of a checkout, which run on the Node.js of the lockfile. */
  scripts: "20",
} as const;

/** The machine that builds the image: its libraries come from Debian. */
export const imageMachine = "Debian on x86-64";
/** The machine that runs tests and the demo. */
export const testMachine = "Linux on x86-64";

const isReadBy = "`status`, `doctor`, `request`";

/** The requirements of each way to use the project. */
export const requirementsTable = (): string[] =>
  table(
    ["to", "you need"],
    [
      ["plan with a program", `Node.js ${nodeVersions.programs} or later, on any system`],
      [`read a cluster (${isReadBy})`, `Node.js ${nodeVersions.clusters} or later, on any system`],
      [
        `build the package and the image (${code("npm run bootstrap")}, ${code("npm run image")})`,
        `${imageMachine}, Node.js ${nodeVersions.scripts} or later, a registry that the cluster can pull from`,
      ],
      [
        `run the demo and the tests (${code("npm run demo")}, ${code("npm test")})`,
        `${testMachine}, Node.js ${nodeVersions.scripts} or later, Python 3 with pip`,
      ],
      ["run the quickstart", quickstartNeeds()],
    ],
  );

/** The tools for a first deployment. */
export const toolsSentence = (): string[] => [
  `You need Node.js ${nodeVersions.clusters} or later, the [Pulumi CLI](https://www.pulumi.com/docs/install/), \`kubectl\`, \`helm\`, a kubeconfig`,
  "of a cluster, and a registry that the cluster can pull from.",
];

export const bootstrapSentence = (): string[] => [
  `Log in to a registry that your cluster can pull from, and run this in a checkout (${imageMachine}, Node.js ${nodeVersions.scripts} or later):`,
];

export const demoSentence = (): string[] => [
  `Both commands run on a fresh clone and install what they need. They require ${testMachine}, Node.js ${nodeVersions.scripts} or later, and Python 3`,
  "with pip.",
];

export const quickstartSentence = (): string[] => [`It needs no GPU, but ${quickstartNeeds()}.`];

/** Free capacity that the pods of the quickstart request, without the gateway. */
function quickstartNeeds(): string {
  const [cpu, memory] = ["cpu", "memory"].map((name) => formatQuantity(requested(name)));
  return `one node with ${Number.parseInt(cpu ?? "", 10) / 1_000} free CPUs and ${gibibytes(memory ?? "")} GiB of free memory, besides the gateway`;
}

const gibibytes = (quantity: string): number =>
  Number((parseQuantity(quantity)?.nanos ?? 0n) / 2n ** 20n / 1_000_000_000n) / 1_024;

function requested(resource: string): Quantity {
  const text = JSON.stringify(quickstartObjects());
  return [...text.matchAll(/"requests":(\{[^}]*\})/g)]
    .map(([, requests = "{}"]) => parseQuantity(JSON.parse(requests)[resource]) ?? zero)
    .reduce(add, zero);
}
