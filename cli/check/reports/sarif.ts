import { isAbsolute, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { version } from "../../../sdk/version.ts";
import type { PolicyInfo } from "../../analyzer/analyzer-process.ts";
import { type Location, type Outcome, type Violation, type Weight, weightOf } from "../outcome.ts";

const levels: Record<Weight, "error" | "warning" | "none"> = {
  error: "error",
  warning: "warning",
  unknown: "none",
};

/** Returns SARIF 2.1.0 for GitHub's code scanning. */
export function sarifReport({ policies, findings, errors }: Outcome): string {
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "pulumi-inference",
            semanticVersion: version,
            informationUri: "https://github.com/pulumi-inference/pulumi-inference",
            rules: policies.map(ruleOf),
          },
        },
        invocations: [
          {
            executionSuccessful: errors.length === 0,
            toolExecutionNotifications: errors.map((text) => ({
              level: "error",
              message: { text },
            })),
          },
        ],
        results: findings.map((finding) => resultOf(finding, policies)),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

const ruleOf = ({ name, title, description, fix, url, level, pack }: PolicyInfo) => ({
  id: name,
  shortDescription: { text: title },
  ...(description && { fullDescription: { text: description } }),
  ...(fix && { help: { text: fix } }),
  ...(url && { helpUri: url }),
  defaultConfiguration: {
    enabled: level !== "disabled",
    level: level === "advisory" ? "warning" : "error",
  },
  properties: { tags: [pack] },
});

const resultOf = (finding: Violation, policies: readonly PolicyInfo[]) => ({
  ruleId: finding.policy.name,
  ruleIndex: policies.indexOf(finding.policy),
  level: levels[weightOf(finding)],
  ...(finding.isKnown ? {} : { kind: "open" }),
  message: { text: finding.message },
  ...(finding.location && { locations: [locationOf(finding.location)] }),
});

const locationOf = ({ name, file, line = 1, urn }: Location) => ({
  ...(file !== undefined && {
    physicalLocation: { artifactLocation: { uri: uriOf(file) }, region: { startLine: line } },
  }),
  logicalLocations: [{ fullyQualifiedName: urn ?? name }],
});

/** Relative to the working directory, which code scanning assumes to be the repository's root. */
function uriOf(file: string): string {
  const path = isAbsolute(file) ? relative(process.cwd(), file) : file;
  if (path.startsWith("..")) return pathToFileURL(file).href;
  return path.split(sep).map(encodeURIComponent).join("/").replace(/^\.\//, "");
}
