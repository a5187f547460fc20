import type { InferenceService } from "../../sdk/spec/inference-service.ts";
import { inferenceServiceKind } from "../../sdk/spec/inference-service-manifest.ts";
import { readInferenceService } from "../../sdk/status/read-inference-service.ts";
import type { InferenceServiceStatus } from "../../sdk/status/schemas.ts";
import type { ApiReader } from "../doctor/api-reader.ts";
import { Misuse } from "../exit-code.ts";

/** What a status is measured by: the spec, and what a controller has written so far. */
export interface MeasuredService {
  readonly service: InferenceService;
  readonly generation: number | undefined;
  readonly written: InferenceServiceStatus | undefined;
}

interface StoredService {
  readonly metadata: { readonly generation?: number };
  readonly status?: InferenceServiceStatus;
}

/** The InferenceService object of a cluster. */
export async function serviceInCluster(
  api: ApiReader,
  namespace: string,
  name: string,
): Promise<MeasuredService> {
  const { apiVersion, kind } = inferenceServiceKind;
  const path = `/apis/${apiVersion}/namespaces/${namespace}/inferenceservices/${name}`;
  const stored = await api.get<StoredService>(path);
  const what = `${kind} ${namespace}/${name}`;
  if (stored.state === "absent")
    throw new Misuse(
      `${what} does not exist: give the service statusObject, or its manifest with --file`,
    );
  if (stored.state === "hidden") throw new Misuse(`${what} may not be read: ${stored.why}`);
  const { service, problem } = readInferenceService(stored.value);
  if (service === undefined) throw new Misuse(problem);
  const { metadata, status } = stored.value;
  return { service, generation: metadata.generation, written: status };
}
