import {
  type Analyzer,
  parseUrn,
  type RecordedResource,
  recordProgram,
} from "../../recorder/index.ts";
import { type Unchecked, uncheckedParts } from "../../sdk/rules/helpers/unchecked.ts";
import { readStack } from "../../sdk/stack/stack.ts";
import { unknownValue } from "../../sdk/stack/unknown-value.ts";
import type { PolicyViolation } from "../analyzer/analyzer-process.ts";
import { manifestOf } from "../input/input.ts";
import { isObject, type LocalProject } from "../input/program.ts";
import type { Progress } from "../output/progress.ts";
import type { Terminal } from "../terminal.ts";
import type { Location, Outcome, Violation } from "./outcome.ts";
import type { PolicyPacks } from "./policy-packs.ts";
import { hidingSecrets, secretTexts } from "./secret-texts.ts";

/**
 * Checks every resource that a Pulumi program registers: without a login, a state or a cluster.
 *
 * @param stack the stack whose configuration the program gets
 */
export async function checkProgram(
  project: LocalProject,
  packs: PolicyPacks,
  terminal: Terminal,
  progress?: Pick<Progress, "at">,
): Promise<Outcome> {
  const check = new Check(packs, Object.values(project.secretConfig), progress);
  const { diagnostics } = await recordProgram({
    ...project,
    analyzer: check.analyzer,
    onOutput: terminal.err.pass ?? terminal.err.write,
  });
  return {
    policies: packs.policies,
    findings: check.findings,
    objects: check.objects,
    unchecked: check.unchecked,
    errors: diagnostics
      .filter(({ severity }) => severity === "error")
      .map(({ message, urn }) => (urn === undefined ? message : `${urn}: ${message}`)),
  };
}

/** Checks the resources of a preview that has ended, such as a preview by the Pulumi CLI. */
export async function checkResources(
  resources: readonly RecordedResource[],
  packs: PolicyPacks,
  progress?: Pick<Progress, "at">,
): Promise<Outcome> {
  const check = new Check(packs, [], progress);
  const checked: RecordedResource[] = [];
  for (const resource of resources) {
    const properties = (await packs.remediate(resource)) ?? resource.properties;
    checked.push({ ...resource, properties });
    await check.analyzer.analyze?.({ ...resource, properties });
  }
  await check.analyzer.analyzeStack?.(checked);
  const { findings, objects, unchecked } = check;
  return { policies: packs.policies, findings, objects, unchecked, errors: [] };
}

const locationOf = (urn: string): Location => ({ name: parseUrn(urn).name, urn });

/** Collects violations and hides them from the recorder, so that one violation does not refuse a resource. */
class Check {
  readonly findings: Violation[] = [];
  objects = 0;
  unchecked: readonly Unchecked[] = [];
  readonly #packs: PolicyPacks;
  readonly #secrets: Set<string>;
  readonly #progress: Pick<Progress, "at"> | undefined;

  constructor(
    packs: PolicyPacks,
    secrets: readonly string[],
    progress: Pick<Progress, "at"> | undefined,
  ) {
    this.#progress = progress;
    this.#packs = packs;
    this.#secrets = new Set(secrets);
  }

  get analyzer(): Analyzer {
    return {
      remediate: (resource) => this.#packs.remediate(resource),
      analyze: async (resource) => {
        this.objects += resource.type.startsWith("kubernetes:") ? 1 : 0;
        this.#progress?.at("Objects checked", this.objects);
        return this.#record([resource], await this.#packs.analyze(resource));
      },
      analyzeStack: async (resources) => {
        const objects = resources
          .filter(isObject)
          .map((resource) => manifestOf(resource, unknownValue));
        this.unchecked = uncheckedParts(readStack(objects));
        return this.#record(resources, await this.#packs.analyzeStack(resources));
      },
    };
  }

  #record(resources: readonly RecordedResource[], violations: readonly PolicyViolation[]): [] {
    for (const { properties } of resources)
      for (const text of secretTexts(properties)) this.#secrets.add(text);
    for (const { urn, message, ...violation } of violations) {
      const reported = hidingSecrets(message, this.#secrets);
      this.findings.push({
        ...violation,
        message: reported,
        ...(urn && { location: locationOf(urn) }),
      });
    }
    return [];
  }
}
