import type { InferenceService } from "../../sdk/spec/inference-service.ts";
import { fromManifest, inferenceServiceKind } from "../../sdk/spec/inference-service-manifest.ts";
import { parseInferenceService } from "../../sdk/validate/inference-service.ts";
import type { Terminal } from "../terminal.ts";
import { readDocuments } from "./documents.ts";

export interface InputService {
  readonly place: string;
  readonly service: InferenceService;
}

/**
 * The InferenceServices of all files, validated.
 *
 * @throws Problems with every problem of every document
 */
export const readServices = (
  files: readonly string[],
  terminal: Pick<Terminal, "readStdin">,
): Promise<InputService[]> =>
  readDocuments(
    files,
    terminal,
    ({ place, value }) => ({ place, service: parseInferenceService(fromManifest(value)) }),
    `${inferenceServiceKind.kind}, ${inferenceServiceKind.apiVersion}`,
  );
