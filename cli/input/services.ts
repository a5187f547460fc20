import { groupOf } from "../../kubernetes/values/manifest.ts";
import type { InferenceService } from "../../sdk/spec/inference-service.ts";
import { fromManifest, inferenceServiceKind } from "../../sdk/spec/inference-service-manifest.ts";
import { parseInferenceService } from "../../sdk/validate/inference-service.ts";
import { UsageError } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";
import { readAll } from "./documents.ts";
import { readDocuments } from "./input.ts";
import type { InputObject } from "./objects.ts";

export interface InputService {
  readonly location: string;
  readonly service: InferenceService;
}

/**
 * Returns the validated InferenceServices of all files and folders; other objects are skipped.
 *
 * @throws ValidationError with every problem of every service
 * @throws UsageError if there is no service
 */
export async function readServices(
  paths: readonly string[],
  terminal: Pick<Terminal, "readStdin" | "err">,
): Promise<InputService[]> {
  const objects = (await readDocuments(paths, terminal)).filter(isService);
  const { apiVersion, kind } = inferenceServiceKind;
  if (objects.length === 0)
    throw new UsageError(`${paths.join(", ")}: no ${kind} (${apiVersion}) found`);
  return readAll(objects, ({ location, value }) => ({
    location,
    service: parseInferenceService(fromManifest(value)),
  }));
}

const isService = ({ value: { apiVersion, kind } }: InputObject): boolean =>
  kind === inferenceServiceKind.kind &&
  groupOf(apiVersion) === groupOf(inferenceServiceKind.apiVersion);
