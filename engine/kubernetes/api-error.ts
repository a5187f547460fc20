import type { NoAnswerError } from "../../kubernetes/api/api-error.ts";

/** No response arrived from the API server. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
  /** Whether the request may have arrived. */
  readonly sent: boolean;

  constructor(server: string, error: NoAnswerError) {
    super(
      `the Kubernetes API server ${server} does not answer (${error.detail}); check that it runs and that the kubeconfig names the right one`,
      { cause: error },
    );
    this.sent = error.sent;
  }
}

/** The API server does not serve the kind. */
export class NoSuchKindError extends Error {
  override readonly name = "NoSuchKindError";

  constructor(apiVersion: string, kind: string) {
    super(`no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`);
  }
}
