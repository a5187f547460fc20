import type { RecordedResource } from "../../recorder/index.ts";
import type { Problem } from "../../sdk/errors.ts";
import type { PodPluginSupport } from "../../sdk/plugins/registry.ts";
import { uncheckedParts } from "../../sdk/rules/helpers/unchecked.ts";
import { readStack } from "../../sdk/stack/stack.ts";
import type { LocatedProblem } from "../exit-code.ts";
import { attempt } from "../input/documents.ts";
import { type InputDocument, objectsOf } from "../input/input.ts";
import type { InputManifest } from "../input/manifests.ts";
import type { Progress } from "../output/progress.ts";
import { oncePerRole } from "./once-per-role.ts";
import type { Location, Outcome, Violation } from "./outcome.ts";
import type { PolicyPacks } from "./policy-packs.ts";
import {
  adviceFinding,
  advicePolicy,
  fileFinding,
  filePolicy,
  type SpecAdvice,
  specFinding,
  specPolicy,
} from "./spec-policy.ts";

export interface CheckManifestsOptions {
  /** Plugins that specs may use, in addition to the built-in ones. */
  readonly podPlugins?: PodPluginSupport;
  readonly progress?: Pick<Progress, "at">;
}

/** Manifests to check. */
export interface ManifestsToCheck {
  /** Objects, each with its document or the document that it is planned from. */
  readonly objects: ReadonlyArray<{
    readonly manifest: InputManifest;
    readonly object: CheckedObject;
  }>;
  /** Problems of documents of this project's kinds. Such a document results in no object. */
  readonly refused: readonly Violation[];
  /** Warnings about specs, which previews and render also print. */
  readonly advice: readonly SpecAdvice[];
}

/**
 * Returns the objects of documents. Documents of this project's kinds are replaced by their planned objects.
 *
 * @param broken problems of files that could not be read
 */
export function manifestsToCheck(
  documents: readonly InputDocument[],
  broken: readonly LocatedProblem[],
  { podPlugins, progress }: CheckManifestsOptions = {},
): ManifestsToCheck {
  const refused: Violation[] = broken.map(fileFinding);
  const advice: SpecAdvice[] = [];
  const objects = documents.flatMap((manifest, at) => {
    progress?.at("Documents planned", at, documents.length);
    const onAdvice = (problem: Problem) => void advice.push({ manifest, problem });
    const planned = attempt(manifest, () => objectsOf(manifest, { podPlugins, onAdvice }));
    if (!Array.isArray(planned)) return planned.value.map((object) => ({ manifest, object }));
    refused.push(...planned.map((problem) => specFinding(problem)));
    return [];
  });
  return { objects, refused, advice };
}

/** Checks all objects as resources of one stack. */
export async function checkManifests(
  { objects, refused, advice }: ManifestsToCheck,
  packs: Pick<PolicyPacks, "policies" | "analyze" | "analyzeStack">,
  progress?: Pick<Progress, "at">,
): Promise<Outcome> {
  const locations = new Map<string, Location>();
  const resources = objects.map(({ manifest, object }, at) => {
    const resource = resourceOf(object, at);
    locations.set(resource.urn, locationOf(manifest));
    return resource;
  });
  let done = 0;
  const ofResources = await Promise.all(
    resources.map(async (resource) => {
      const found = await packs.analyze(resource);
      done += 1;
      progress?.at("Objects checked", done, resources.length);
      return found;
    }),
  );
  const ofStack = await packs.analyzeStack(resources);
  const order = new Map(resources.map(({ urn }, at) => [urn, at]));
  const positionOf = (urn: string | undefined) => order.get(urn ?? "") ?? resources.length;
  const violations = [...ofResources.flat(), ...ofStack]
    .sort((a, b) => positionOf(a.urn) - positionOf(b.urn))
    .map((violation) => {
      const object = objects[positionOf(violation.urn)];
      return { violation, object: object?.object, document: object?.manifest.location ?? "" };
    });
  const findings = oncePerRole(violations).map(({ urn, ...violation }) => {
    const location = locations.get(urn ?? "");
    return { ...violation, ...(location && { location }) };
  });
  const isReported = ({ given, allowed }: Problem) =>
    findings.some(({ message }) => message.includes(`${given}; allowed: ${allowed}`));
  return {
    policies: [filePolicy, specPolicy, advicePolicy, ...packs.policies],
    findings: [
      ...refused,
      ...advice.filter(({ problem }) => !isReported(problem)).map(adviceFinding),
      ...findings,
    ],
    objects: resources.length,
    unchecked: uncheckedParts(readStack(objects.map(({ object }) => object))),
    errors: [],
  };
}

interface CheckedObject {
  readonly apiVersion: string;
  readonly kind: string;
}

function locationOf({ location, file, line }: InputManifest): Location {
  return file === "standard input" ? { name: location } : { name: location, file, line };
}

function resourceOf(object: CheckedObject, at: number): RecordedResource {
  const { apiVersion, kind } = object;
  const type = `kubernetes:${apiVersion.includes("/") ? apiVersion : `core/${apiVersion}`}:${kind}`;
  const name = String(at);
  return {
    urn: `urn:pulumi:check::manifests::${type}::${name}`,
    type,
    name,
    parent: "",
    properties: object as unknown as Record<string, unknown>,
    dependencies: [],
    propertyDependencies: {},
  };
}
