/** What the API server answers in the place of an object, `kind: Status`. */
export interface ApiStatus {
  message?: string;
  reason?: string;
  details?: { causes?: { reason?: string; message?: string; field?: string }[] };
}

/** A request that the API server answered with an error. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: number;
  readonly reason: string;
  readonly causes: NonNullable<NonNullable<ApiStatus["details"]>["causes"]>;

  constructor(code: number, status: ApiStatus, fallback: string) {
    super(status.message || fallback);
    this.code = code;
    this.reason = status.reason ?? "";
    this.causes = status.details?.causes ?? [];
  }
}

/** No answer came from the API server. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
  /** The request may have arrived. */
  readonly sent: boolean;

  constructor(server: string, sent: boolean, cause: unknown) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    super(
      `the Kubernetes API server ${server} does not answer (${detail}); check that it runs and that the kubeconfig names the right one`,
      { cause },
    );
    this.sent = sent;
  }
}

/** The API server serves no such kind. */
export class NoSuchKindError extends Error {
  override readonly name = "NoSuchKindError";

  constructor(apiVersion: string, kind: string) {
    super(`no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`);
  }
}

export const isNotFound = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 404;

export const isForbidden = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 403;

export const isAlreadyExists = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 409 && error.reason === "AlreadyExists";

export const isConflict = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 409 && error.reason === "Conflict";
