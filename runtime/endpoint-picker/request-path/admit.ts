import { RequestError } from "../../../scheduling/request-error.ts";

/** A request that asks to be let in. */
export interface AdmissionRequest {
  readonly priority: number;
  /** The flow that it belongs to. */
  readonly fairnessId: string;
  /** As the client named it. */
  readonly model: string;
  /** `namespace/name` of the LLMService that registers the model; undefined where none does. */
  readonly service: string | undefined;
}

/** Who is let in while the pool is full. The one step of the request path where requests compete. */
export interface AdmissionPolicy {
  /**
   * @param saturation how full the pool is, 1 for full; asked only where it matters
   * @throws RequestError ResourceExhausted for a request that is not let in
   */
  admit(request: AdmissionRequest, saturation: () => number): void;
}

/** Sheds requests of negative priority while the pool is full; others always pass (llm-d-router, legacy admission). */
export const shedSheddable: AdmissionPolicy = {
  admit({ priority }, saturation) {
    if (priority >= 0 || saturation() < 1) return;
    throw new RequestError("ResourceExhausted", "system saturated, sheddable request dropped", {
      reason: "rejected-saturated",
    });
  },
};
