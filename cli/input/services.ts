import { SpecError } from "../../sdk/errors.ts";
import type { InferenceService } from "../../sdk/spec/inference-service.ts";
import { fromManifest, inferenceServiceKind } from "../../sdk/spec/inference-service-manifest.ts";
import { parseInferenceService } from "../../sdk/validate/inference-service.ts";
import { type LocatedProblem, Problems } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";
import { type InputManifest, readManifests } from "./manifests.ts";

export interface InputService {
  readonly place: string;
  readonly service: InferenceService;
}

/**
 * The InferenceServices of all files, validated.
 *
 * @throws Problems with every problem of every document
 */
export async function readServices(
  files: readonly string[],
  { readStdin }: Pick<Terminal, "readStdin">,
): Promise<InputService[]> {
  const manifests = await readManifests(files, readStdin);
  if (manifests.length === 0) throw new Problems([nothingIn(files)]);
  const problems: LocatedProblem[] = [];
  const services = manifests.flatMap((manifest) => {
    try {
      return [{ place: manifest.place, service: serviceOf(manifest) }];
    } catch (error) {
      if (!(error instanceof SpecError)) throw error;
      problems.push(...error.problems.map((problem) => ({ place: manifest.place, problem })));
      return [];
    }
  });
  if (problems.length > 0) throw new Problems(problems);
  return services;
}

const serviceOf = ({ value }: InputManifest): InferenceService =>
  parseInferenceService(fromManifest(value));

function nothingIn(files: readonly string[]): LocatedProblem {
  const { apiVersion, kind } = inferenceServiceKind;
  return {
    place: files.join(", "),
    problem: {
      code: "shape",
      path: [],
      given: "holds no object",
      allowed: `objects of kind ${kind}, ${apiVersion}`,
      fix: "Add one.",
    },
  };
}
