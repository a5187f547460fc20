import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { selfSignedCertificate } from "../../runtime/manager/tls/self-signed.ts";

/** The call that a plugin of type Webhook receives. */
export interface HookCall {
  readonly hook: string;
  readonly servingGroup: string;
  readonly roleName: string;
  readonly roleID: string;
  readonly isEntry: boolean;
  readonly config: unknown;
  readonly modelServing: { readonly metadata: { readonly name: string } };
  readonly pod: { readonly metadata: { readonly name: string } };
}

type Answer = (call: HookCall, response: ServerResponse) => void;

/** Adds a label to a pod that is created, and takes notice of one that is ready. */
const labelled: Answer = ({ hook }, response) =>
  response.end(
    JSON.stringify(
      hook === "OnPodCreate"
        ? { patch: [{ op: "add", path: "/metadata/labels/touched", value: "yes" }] }
        : {},
    ),
  );

/** An HTTPS endpoint of a plugin, which remembers what it was sent. */
export class Endpoint {
  readonly calls: HookCall[] = [];
  readonly #certificate = selfSignedCertificate("localhost", new Date());
  readonly #server = createServer(this.#certificate, (request, response) => {
    void this.#take(request, response);
  });
  answer: Answer = labelled;

  async #take(request: IncomingMessage, response: ServerResponse) {
    const call = (await json(request)) as HookCall;
    this.calls.push(call);
    this.answer(call, response);
  }

  /** Behaves as it did at first. */
  reset(): void {
    this.answer = labelled;
    this.calls.length = 0;
  }

  get caBundle(): string {
    return this.#certificate.cert.toString();
  }

  get url(): string {
    return `https://localhost:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** Hooks that were called for a pod. */
  hooksOf(pod: string): string[] {
    return this.calls.filter((call) => call.pod.metadata.name === pod).map(({ hook }) => hook);
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => {
      this.#server.listen(0, "localhost", resolve);
    });
    return this;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
