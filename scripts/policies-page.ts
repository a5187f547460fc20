import { z } from "zod";
import { type Guideline, guidelines } from "../sdk/invariants/stack/guidelines.ts";
import { stackRules } from "../sdk/invariants/stack/index.ts";
import { packNames, packs } from "../sdk/invariants/stack/packs.ts";
import type { StackRule } from "../sdk/invariants/stack/stack-rule.ts";

/** Returns the page of policy packs, generated from their rules. */
export function policiesPage(): string {
  return [
    introduction,
    "## Packs",
    "",
    "| Pack | Checks | Rules |",
    "|---|---|---|",
    ...packNames.map(
      (name) =>
        `| [\`${name}\`](#${name}) | ${packs[name].description} | ${rulesOfPack(name).length} |`,
    ),
    "",
    "The pack `inference`, in the folder `policies` itself, contains the rules of all packs.",
    "",
    continuousIntegration,
    "## Guidelines",
    "",
    "Each guideline states a condition for inference on GPUs to start and to serve. The columns show how it is enforced:",
    "",
    "- Schema: validation of an InferenceService, before anything is planned.",
    "- Policies: checks of objects from any source.",
    "- Plan: a property test checks that generated services violate no mandatory policy.",
    "- Doctor: checks by `pulumi-inference doctor` that need a cluster.",
    "- Lifecycle tests: tests of the steps of an update, and of their order.",
    "",
    "| | Guideline | Schema | Policies | Plan | Doctor | Lifecycle tests |",
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

This page describes the policy packs and their rules. The packs check the objects of a stack by the same [rules](rules.md) as
plans. The objects can come from components of this package, other components, YAML or charts. \`npm run generate\` writes
this page from the rules.

\`\`\`sh
pulumi preview --policy-pack node_modules/pulumi-inference/policies        # all packs
pulumi preview --policy-pack node_modules/pulumi-inference/policies/inference-gang
npx pulumi-inference check manifests/                              # no Pulumi program, no login, no cluster
helm template chart | npx pulumi-inference check -
npx pulumi-inference check path/to/program --stack production      # a preview of the local engine
\`\`\`

\`check\` runs each pack in the same way as the Pulumi CLI. It treats a folder with Pulumi.yaml as a program, and any other path
as a file or folder of manifests that form one stack. For a program, the contents of clusters and of other stacks are unknown.
The exit code is 1 if a mandatory policy is violated or the program fails, and 2 if the command line is wrong. \`--format\` is
\`text\`, \`json\`, \`sarif\` or \`junit\`.

A value that is known only after the update neither passes nor fails. A policy that needs such a value reports that it is
unknown. The Pulumi CLI also checks children of \`yaml/v2.ConfigGroup\` and \`helm.sh/v4.Chart\`. The local engine does not
render them, so run \`check\` on the output of \`helm template\`.

## Configuration

The configuration is JSON in the Pulumi CLI's format, for \`pulumi preview --policy-pack-config\` and
\`pulumi-inference check --config\`. It maps each policy to a level (\`advisory\`, \`mandatory\`, \`remediate\` or \`disabled\`), or to
an object with \`enforcementLevel\` and parameters. \`all\` sets the level of policies without one. At level \`remediate\`, a policy
that can fix a violation changes the requested object, and a violation that it cannot fix fails. No policy has this level by
default. Manifests are never changed.

\`\`\`json
{
  "image-has-a-digest": "mandatory",
  "rollout-is-explicit": "disabled",
  "loading-has-time": { "enforcementLevel": "mandatory", "loadSeconds": 1200 }
}
\`\`\`
`;

const continuousIntegration = `## Continuous integration

GitHub Actions shows the report as annotations of the pull request:

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

GitLab shows the report in the merge request:

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

Each folder is a separate pack. It contains \`PulumiPolicy.yaml\`, a \`package.json\` with the version, and \`index.cjs\`, which names
the pack. \`policies/serve-pack.cjs\` contains the rules of all packs, and packing a folder copies it into the archive. A published
pack is therefore complete except for \`@pulumi/policy\` and \`@pulumi/pulumi\`. To publish a pack to an organization's Pulumi Cloud:

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
    ...(rule.remediate === undefined
      ? []
      : ["At level `remediate`, it fixes the violations that it can.", ""]),
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
