import { z } from "zod";
import { type Guideline, guidelines } from "../sdk/invariants/stack/guidelines.ts";
import { stackRules } from "../sdk/invariants/stack/index.ts";
import { packNames, packs } from "../sdk/invariants/stack/packs.ts";
import type { StackRule } from "../sdk/invariants/stack/stack-rule.ts";

/** The page of policy packs, from their rules. */
export function policiesPage(): string {
  return [
    introduction,
    "## Packs",
    "",
    "| Pack | Holds | Rules |",
    "|---|---|---|",
    ...packNames.map(
      (name) =>
        `| [\`${name}\`](#${name}) | ${packs[name].description} | ${rulesOfPack(name).length} |`,
    ),
    "",
    "`inference`, in the folder `policies` itself, contains all rules.",
    "",
    continuousIntegration,
    "## Guidelines",
    "",
    "Inference on GPUs starts and keeps serving if these guidelines hold. The table shows what enforces each of them:",
    "",
    "- Schema: the schema of an InferenceService rejects a violation before anything is planned.",
    "- Policies: the policy packs check objects of any author.",
    "- Plan: a property test checks that the plan of every possible service passes every mandatory policy.",
    "- Doctor: `npx pulumi-inference doctor` checks facts that only a cluster has.",
    "- Lifecycle tests: tests check the changes of an update and their order.",
    "",
    "| Guideline | Rule | Schema | Policies | Plan | Doctor | Lifecycle tests |",
    "|---|---|---|---|---|---|---|",
    ...guidelines.map(guidelineRow),
    "",
    ...packNames.flatMap((name) => [
      `## ${name}`,
      "",
      packs[name].description,
      "",
      ...rulesOfPack(name).flatMap(section),
    ]),
  ]
    .join("\n")
    .replace(/\n*$/, "\n");
}

const introduction = `# Policies

Policy packs check the objects of a stack with the same [rules](rules.md) as plans, whatever created the objects: components
of this package, other components, YAML or charts. Generated from the rules by \`npm run generate\`.

\`\`\`sh
pulumi preview --policy-pack node_modules/pulumi-inference/policies        # all packs
pulumi preview --policy-pack node_modules/pulumi-inference/policies/inference-gang
npx pulumi-inference check manifests/                              # no Pulumi program, no login, no cluster
helm template chart | npx pulumi-inference check -
npx pulumi-inference check path/to/program --stack production      # a preview of the local engine
\`\`\`

\`check\` starts each pack in the same way as the Pulumi CLI. A folder with Pulumi.yaml is a program; any other path is a
file or a folder of manifests, and all of them together are one stack. In a program, the contents of clusters and of other
stacks are unknown. The exit code is 1 if a mandatory policy is violated, a file in a folder is invalid or the program fails,
and 2 if the command line is wrong. \`--format\` is \`text\`, \`json\`, \`sarif\` or \`junit\`.

A value that is unknown before the update neither passes nor fails: a policy that needs it reports "not known yet".
The Pulumi CLI checks the children of \`yaml/v2.ConfigGroup\` and \`helm.sh/v4.Chart\`. The local engine does not render
them, so check the output of \`helm template\`.

## Configuration

JSON in the form of the Pulumi CLI, for \`pulumi preview --policy-pack-config\` and \`pulumi-inference check --config\`: a policy to
its level, \`advisory\`, \`mandatory\`, \`remediate\` or \`disabled\`, or to an object with \`enforcementLevel\` and parameters. \`all\`
is the level of those that name none. At \`remediate\` a policy that can fix changes what the program asks for, and what it
cannot fix fails; nothing does so by default. Manifests are never changed.

\`\`\`json
{
  "image-has-a-digest": "mandatory",
  "rollout-is-explicit": "disabled",
  "loading-has-time": { "enforcementLevel": "mandatory", "loadSeconds": 1200 }
}
\`\`\`
`;

const continuousIntegration = `## Continuous integration

GitHub Actions; the report shows as annotations of the pull request:

\`\`\`yaml
jobs:
  policies:
    runs-on: ubuntu-latest
    permissions: { contents: read, security-events: write }
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with: { node-version: 24 }
      - run: npm ci
      - run: npx pulumi-inference check manifests --format sarif > policies.sarif
      - uses: github/codeql-action/upload-sarif@v3
        if: always()
        with: { sarif_file: policies.sarif }
\`\`\`

GitLab; the report shows in the merge request:

\`\`\`yaml
policies:
  image: node:24
  script:
    - npm ci
    - npx pulumi-inference check manifests --format junit > policies.xml
  artifacts:
    when: always
    reports: { junit: policies.xml }
\`\`\`

## Publishing

Each folder is a pack by itself: \`PulumiPolicy.yaml\`, a \`package.json\` with the version, and \`index.cjs\`, which names the
pack. The rules of all packs are in \`policies/serve-pack.cjs\`; packing a folder puts a copy into the archive, so that a
published pack holds all that it needs but \`@pulumi/policy\` and \`@pulumi/pulumi\`. For an organization's Pulumi Cloud:

\`\`\`sh
cd node_modules/pulumi-inference/policies/inference-gpu
pulumi policy publish my-org
pulumi policy enable my-org/inference-gpu latest
\`\`\`
`;

const rulesOfPack = (name: string) => stackRules.filter(({ pack }) => pack === name);

const linked = ({ id }: Pick<StackRule, "id">) => `[\`${id}\`](#${id})`;

function guidelineRow({ id, says, schema = [], doctor = [], lifecycle = [] }: Guideline): string {
  const rules = stackRules.filter((rule) => rule.guidelines.includes(id));
  const cells = [
    ...[id, says, schema.map(code).join(", ")],
    rules.map(linked).join(", "),
    rules.some(({ level }) => level === "mandatory") ? "yes" : "",
    doctor.map(code).join(", "),
    lifecycle.map(([file, title]) => `[${title}](../${file})`).join(", "),
  ];
  return `| ${cells.map(cell).join(" | ")} |`;
}

const code = (text: string) => `\`${text}\``;
const cell = (text: string) => text.replaceAll("|", "\\|");

function section(rule: StackRule): string[] {
  const { id, title, why, fix, source, level, guidelines: of } = rule;
  return [
    `### ${id}`,
    "",
    `${title}. ${why}`,
    "",
    `To fix it: ${fix}`,
    "",
    `${capital(level)}${of.length > 0 ? `, ${of.join(", ")}` : ""}. ${source}.`,
    "",
    ...(rule.remediate === undefined ? [] : ["Fixes what it can at level `remediate`.", ""]),
    ...parametersOf(rule),
  ];
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

interface ParameterSchema {
  readonly description?: string;
  readonly default?: unknown;
}

function parametersOf({ parameters }: StackRule): string[] {
  const { properties = {} } = z.toJSONSchema(parameters, { io: "input" });
  const rows = Object.entries(properties as Record<string, ParameterSchema>).map(
    ([name, { description = "", default: preset }]) =>
      `| \`${name}\` | ${preset === undefined ? "" : code(JSON.stringify(preset))} | ${cell(description)} |`,
  );
  return rows.length === 0 ? [] : ["| Parameter | Default | |", "|---|---|---|", ...rows, ""];
}
