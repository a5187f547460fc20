import type { OperationsOptions } from "../../manager/manager.ts";
import type { PageTls } from "../../manager/pages/serve-pages.ts";
import type { ServingOptions } from "./serving.ts";
import type { TlsOptions } from "./tls.ts";

/** Options of every picker, for pools of one cluster or for imported pools. */
export interface CommonOptions {
  readonly serving: ServingOptions;
  readonly tls: TlsOptions;
  readonly operations: OperationsOptions;
  /** Undefined for plain HTTP. */
  readonly pageTls: PageTls | undefined;
  readonly verbosity: number;
}
