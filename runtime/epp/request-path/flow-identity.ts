import { defaultFairnessId } from "./control-headers.ts";

export interface FlowSource {
  /** Named by the gateway; undefined if it names none. */
  readonly tenant: string | undefined;
  /** `namespace/name` of the LLMService that registers the model; undefined where none does. */
  readonly service: string | undefined;
}

/**
 * The flow that a request waits in: its tenant, else the LLMService of its model. All other requests are one flow, so that no
 * client makes itself many.
 */
export const flowOf = ({ tenant, service }: FlowSource): string =>
  tenant ?? service ?? defaultFairnessId;
