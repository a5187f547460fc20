import type { IncomingMessage } from "node:http";
import type { ActiveSpan, Attributes, Tracing } from "../../manager/tracing/tracing.ts";
import type { PrefillResult } from "./prefill.ts";

/** Attributes of a request's spans. */
interface TracedRequest {
  readonly connector: string;
  readonly api: string;
  readonly path: string;
}

/** Spans of a request, with llm-d's names: one for the request, one for each prefill and one for each decode. */
export class LegSpans {
  readonly #span: ActiveSpan;
  readonly #connector: string;
  #decode: ActiveSpan | undefined;

  constructor(tracing: Tracing, { headers }: IncomingMessage, request: TracedRequest) {
    const carrier = { get: (name: string) => headers[name]?.toString() };
    this.#span = tracing.receive("forward_request", carrier);
    this.#connector = request.connector;
    this.#span.set({
      "llm_d.pd_proxy.connector": request.connector,
      "llm_d.pd_proxy.request_path": request.path,
      "llm_d.openai.api": request.api,
    });
  }

  /** Records the prefiller that computes the prompt; undefined if the decoder does. */
  prefilledBy(address: string | undefined): void {
    this.#span.set({
      "llm_d.pd_proxy.disaggregation_used": address !== undefined,
      "llm_d.pd_proxy.prefill_target": address,
    });
  }

  prefill(target: string): PrefillSpan {
    return new PrefillSpan(this.#child("prefill", { "llm_d.pd_proxy.prefill_target": target }));
  }

  /** Starts a decode span, which ends with `decoded` or with the request. Returns the headers for the decoder. */
  decode(target: string): ActiveSpan["headers"] {
    this.#decode?.end();
    this.#decode = this.#child("decode", { "llm_d.pd_proxy.decode.target": target });
    return this.#decode.headers;
  }

  decoded(status: number | undefined, isComplete: boolean): void {
    this.#decode?.set({ "llm_d.pd_proxy.decode.status_code": status });
    if (!isComplete) this.#decode?.fail("the decoder's response was not complete");
    this.#decode?.end();
    this.#decode = undefined;
  }

  /** @param status status that the client received; undefined if it disconnected first */
  end(status: number | undefined): void {
    // The response may close before the relay calls `decoded`; if the client has all of it, the decode is complete.
    this.decoded(status, status !== undefined && status < 500);
    this.#span.set({ "http.response.status_code": status });
    if (status === undefined) this.#span.fail("the client disconnected before the response ended");
    this.#span.end();
  }

  #child(name: string, attributes: Attributes): ActiveSpan {
    return this.#span.child(name, { ...attributes, "llm_d.pd_proxy.connector": this.#connector });
  }
}

class PrefillSpan {
  readonly #span: ActiveSpan;

  constructor(span: ActiveSpan) {
    this.#span = span;
  }

  get headers(): ActiveSpan["headers"] {
    return this.#span.headers;
  }

  end(result: PrefillResult): void {
    const status = result.kind === "done" ? 200 : result.message?.statusCode;
    this.#span.set({ "llm_d.pd_proxy.prefill.status_code": status });
    if (result.kind !== "done")
      this.#span.fail(result.kind === "refused" ? "the prefiller refused" : result.reason);
    this.#span.end();
  }
}
