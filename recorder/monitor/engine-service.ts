import { stripVTControlCharacters } from "node:util";
import type { Diagnostic, Severity } from "../diagnostic.ts";
import { empty, engine } from "./protos.ts";

type Message<Name extends keyof typeof engine> = (typeof engine)[Name] extends new () => infer T
  ? T
  : never;

const SEVERITIES: readonly (Severity | undefined)[] = [undefined, "info", "warning", "error"];

/** Severities in the SDK's text of a message, except debug. */
const undelivered: Readonly<Record<string, Severity>> = {
  info: "info",
  warn: "warning",
  error: "error",
};

/** Whether an error of a program only repeats the failure of a resource, which the recorder has reported already. */
export function isEchoOfFailure(error: string): boolean {
  return /resource .* \[.*\] failed to register/.test(error);
}

/** The Engine service: receives the program's logs and the stack's URN. */
export class EngineService {
  readonly #report: (diagnostic: Diagnostic) => void;
  #root = "";
  #sawError = false;

  constructor(report: (diagnostic: Diagnostic) => void) {
    this.#report = report;
  }

  /** Whether the program logged an error. */
  get sawError(): boolean {
    return this.#sawError;
  }

  log(request: Message<"LogRequest">) {
    const severity = SEVERITIES[request.getSeverity()];
    // The SDK's debug messages contain every property, including secrets in clear text.
    if (severity === undefined) return empty();
    const message = stripVTControlCharacters(request.getMessage()).trimEnd();
    if (severity === "error") this.#sawError = true;
    if (!request.getEphemeral()) this.#record(severity, message, request.getUrn());
    return empty();
  }

  /** Records a message that the SDK printed because it could not call `log`. */
  logUndelivered(severity: string, message: string): void {
    const known = undelivered[severity];
    if (known !== undefined) this.#record(known, stripVTControlCharacters(message).trimEnd());
  }

  #record(severity: Severity, message: string, urn?: string): void {
    if (severity === "error") this.#sawError = true;
    if (isEchoOfFailure(message)) return;
    this.#report({ severity, message, ...(urn && { urn }) });
  }

  getRootResource() {
    const response = new engine.GetRootResourceResponse();
    response.setUrn(this.#root);
    return response;
  }

  setRootResource(request: Message<"SetRootResourceRequest">) {
    this.#root = request.getUrn();
    return new engine.SetRootResourceResponse();
  }

  startDebugging() {
    return empty();
  }

  requirePulumiVersion() {
    return new engine.RequirePulumiVersionResponse();
  }
}
